// Keys, clock and the language link of the practice and feedback pages. Every action is also
// a button or a link, so the pages work without this file.
import { $, answered, ask, choices, field, listen, number, press, set, switchClock, text } from './answering.js';

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
else if (number && !matchMedia('(pointer: coarse)').matches) number.focus({ preventScroll: true });

let said = '';
function say(words) { if ($('say') && words !== said) { $('say').textContent = said = words; $('say').className = 'small dim reserve'; } }

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
let seconds = draft.seconds ?? 0;
const clock = $('timer');
if (clock) {
  const show = switchClock($('timer-switch'), hidden => {
    clock.textContent = hidden ? '–:––' : `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
  });
  setInterval(() => { if (document.visibilityState === 'visible') { seconds++; show(); } }, 1000);
  addEventListener('pagehide', () => sessionStorage.setItem(kept, JSON.stringify({ seconds, text: field?.value })));
}

const on = $('keys-on'), showKeys = event => { event.preventDefault(); $('all-keys').showModal(); };
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
  heading?.focus({ preventScroll: true });   // so that Tab goes on from here
  if (top < 0 || top > innerHeight * .6) heading.scrollIntoView({ behavior: matchMedia('(prefers-reduced-motion: reduce)').matches ? 'instant' : 'smooth' });
}

listen({
  send: event => event.target === text && $('show-points'),   // not from the note
  need: event => { if (number && event.target !== number) number.focus(); else say(ask.dataset.need); },
  works: key => on.checked || key === '?',
  keys: { u: press('[data-key=undo]'), f: set('flag'), m: write, l: set('language'), t: set('timer-switch'), '?': showKeys, e: deepen },
  leave: left => { if (left.id === 'note-text') before?.focus(); },
});
