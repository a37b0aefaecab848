// Keys, clock and the language link of the practice and feedback pages. Every action is also
// a button or a link, so the pages work without this file.
const $ = id => document.getElementById(id);
const ask = $('ask'), text = $('text'), field = text ?? $('number');
const choices = ask ? [...ask.querySelectorAll('[name=choice]')] : [];

// A switch of language keeps ticks, words and clock.
const asked = new URLSearchParams(location.search);
for (const c of choices) if (asked.getAll('choice').includes(c.value)) c.checked = true;
const kept = `draft ${location.pathname}`;
// The words stay here until the page after the answer is there, whatever happens on the way.
const told = document.querySelector('[data-asked]');
if (told) sessionStorage.removeItem(`draft ${told.dataset.asked}`);
const draft = JSON.parse(sessionStorage.getItem(kept) ?? '{}');
if (field && draft.text && !field.value) field.value = draft.text;
$('language')?.addEventListener('click', event => {
  const link = new URL(event.currentTarget.href);
  link.searchParams.delete('choice');
  for (const c of choices) if (c.checked) link.searchParams.append('choice', c.value);
  event.currentTarget.href = link;
  const { id, name, value } = document.activeElement;   // the link itself, unless a key pressed it
  sessionStorage.setItem('focus', id ? `#${CSS.escape(id)}` : name ? `[name="${name}"][value="${CSS.escape(value)}"]` : '');
});
const focused = sessionStorage.getItem('focus');
sessionStorage.removeItem('focus');
if (focused) document.querySelector(focused)?.focus();
else if (field && !text && !matchMedia('(pointer: coarse)').matches) field.focus({ preventScroll: true });

let said = '';
function say(words) { if ($('say') && words !== said) { $('say').textContent = said = words; $('say').className = 'small dim reserve'; } }

const answered = () => (field ? field.value.trim() !== '' : choices.some(c => c.checked));
ask?.addEventListener('submit', event => {
  if (event.submitter?.name === 'confidence' && event.submitter.value !== 'none' && !answered()) {
    event.preventDefault();
    say(ask.dataset.need);
    (field ?? choices[0]).focus();
    return;
  }
  $('seconds').value = seconds;
});
ask?.addEventListener('change', () => say($('say').dataset.quiet));

// Time that the page was seen.
let seconds = draft.seconds ?? 0, hidden = localStorage.getItem('clock') === 'off';
const clock = $('timer'), button = $('timer-switch');
if (clock) {
  const show = () => {
    clock.textContent = hidden ? '–:––' : `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
    button.textContent = hidden ? button.dataset.show : button.dataset.hide;
    button.setAttribute('aria-pressed', hidden);
  };
  show();
  setInterval(() => { if (document.visibilityState === 'visible') { seconds++; show(); } }, 1000);
  button.addEventListener('click', () => { hidden = !hidden; localStorage.setItem('clock', hidden ? 'off' : 'on'); show(); });
  addEventListener('pagehide', () => sessionStorage.setItem(kept, JSON.stringify({ seconds, text: field?.value })));
}

const on = $('keys-on'), showKeys = () => $('all-keys').showModal();
on.addEventListener('change', () => { document.cookie = `keys=${on.checked ? 'on' : 'off'}; path=/; max-age=31536000; samesite=lax`; });
document.querySelector('[data-keys]')?.addEventListener('click', showKeys);

// The note, and back to where one was.
let before = null;
function write(event) {
  event.preventDefault();
  before = document.activeElement;
  $('note-text').focus();
}
$('note-link')?.addEventListener('click', write);

// The next depth of the explanation, with its heading on the screen.
function deepen() {
  const depths = [...document.querySelectorAll('[name=depth]')], heading = $('explanation');
  depths[(depths.findIndex(d => d.checked) + 1) % depths.length]?.click();
  const top = heading?.getBoundingClientRect().top;
  if (top < 0 || top > innerHeight * .6) heading.scrollIntoView({ behavior: matchMedia('(prefers-reduced-motion: reduce)').matches ? 'instant' : 'smooth' });
}

document.addEventListener('keydown', event => {
  // An input method is composing (229 in older browsers): the key belongs to it.
  if (event.isComposing || event.keyCode === 229) return;
  if (text && event.target === text && event.key === 'Enter' && (event.ctrlKey || event.metaKey)) { event.preventDefault(); $('show-points').click(); return; }
  if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector('dialog[open]')) return;
  if (event.target.closest('textarea, select, input:not([type=checkbox], [type=radio])')) {
    if (event.key === 'Escape') { event.target.blur(); if (event.target.id === 'note-text') before?.focus(); }
    if (event.key !== 'Enter' || event.target !== field || text) return;   // Enter leads on from a number
  }
  const press = selector => { const b = document.querySelector(selector); if (b) { event.preventDefault(); b.focus(); b.click(); } };
  const set = id => { if ($(id)) { event.preventDefault(); $(id).click(); } };   // the focus stays: Enter leads on
  const key = event.key.toLowerCase();
  if (key === 'enter') {
    if (event.repeat || event.target.closest('a, button, summary')) return;
    const rating = document.querySelector('[name=rating]');
    if (rating) { event.preventDefault(); rating.focus(); }   // never picks one
    else if (!ask) press('[data-key=next]');
    else if (text) text.focus();
    else if (answered()) { event.preventDefault(); $('check').children[1].focus(); }   // never picks one
    else if (field && event.target !== field) { event.preventDefault(); field.focus(); }
    else { event.preventDefault(); say(ask.dataset.need); }
    return;
  }
  if (!on.checked && key !== '?') return;
  if (field && !text && /^[\d.,+−-]$/.test(key)) { field.focus(); field.setSelectionRange(-1, -1); }   // the key writes there
  else if (/^[1-9]$/.test(key)) press(`.choice:has([aria-keyshortcuts="${key}"]) input`);
  else if (key === (field && !text ? 'd' : '0')) press('#check [value=none]');
  else if (key === 'n') press('#check [value=unsure]');
  else if (key === 's') press('#check [value=sure]');
  else if (key === 'u') press('[data-key=undo]');
  else if (key === 'f') set('flag');
  else if (key === 'm') write(event);
  else if (key === 'l') set('language');
  else if (key === 't') set('timer-switch');
  else if (key === '?') { event.preventDefault(); showKeys(); }
  else if (key === 'e') deepen();
});
