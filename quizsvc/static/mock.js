// The screens of a mock interview: countdown, draft and keys. Without this file the forms work as
// they are, and the server measures the time in any case.
const $ = id => document.getElementById(id);
const root = $('mock'), ask = $('ask'), text = $('text'), number = $('number');
const choices = ask ? [...ask.querySelectorAll('[name=choice]')] : [];

// What was written or ticked stays on this device until the answer has arrived.
const kept = root && `mock ${root.dataset.draft}`;
if (root?.hasAttribute('data-answered')) localStorage.removeItem(kept);
if (ask) {
  const field = text ?? number;
  const draft = JSON.parse(localStorage.getItem(kept) ?? '{}');
  if (field && draft.text && !field.value) field.value = draft.text;
  for (const c of choices) if (draft.ticked?.includes(c.value)) c.checked = true;
  const keep = () => localStorage.setItem(kept, JSON.stringify({ text: field?.value, ticked: choices.filter(c => c.checked).map(c => c.value) }));
  const named = () => { if (text) $('done').firstElementChild.textContent = text.value.trim() ? $('done').dataset.written : $('done').dataset.aloud; };
  ask.addEventListener('input', () => { keep(); named(); });
  named();
}

// The countdown goes on from what the server measured. It warns in words and never cuts.
const row = $('clock-row');
if (row) {
  const began = Date.now() - 1000 * row.dataset.elapsed, guide = Number(row.dataset.guide);
  const clock = $('clock'), bar = $('clock-bar'), button = $('clock-switch');
  let told = '', hidden = localStorage.getItem('clock') === 'off';
  const show = () => {
    const used = Math.floor((Date.now() - began) / 1000), left = guide - used, s = Math.abs(left);
    clock.textContent = `${left < 0 ? '+' : ''}${Math.floor(s / 60)}:${String(s % 60).padStart(2, '0')}`;
    bar.value = Math.min(used, guide);
    clock.hidden = bar.hidden = hidden;
    button.textContent = hidden ? button.dataset.show : button.dataset.hide;
    button.setAttribute('aria-pressed', hidden);
    const word = left <= 0 ? row.dataset.over : left <= 10 ? row.dataset.soon : '';
    if (word && word !== told && !hidden) $('clock-say').textContent = told = word;
  };
  show();
  setInterval(show, 1000);
  button.addEventListener('click', () => { hidden = !hidden; localStorage.setItem('clock', hidden ? 'off' : 'on'); show(); });
}

const answered = () => (number ? number.value.trim() !== '' : choices.some(c => c.checked));
const need = () => { $('say').textContent = ask.dataset.need; (number ?? choices[0]).focus(); };
ask?.addEventListener('submit', event => {
  if (!text && event.submitter?.value !== 'none' && !answered()) { event.preventDefault(); need(); }
});

if (root) document.addEventListener('keydown', event => {
  // An input method is composing (229 in older browsers): the key belongs to it.
  if (event.isComposing || event.keyCode === 229) return;
  if (text && event.key === 'Enter' && (event.ctrlKey || event.metaKey)) { event.preventDefault(); $('done').click(); return; }
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.closest('textarea, input:not([type=checkbox])')) {
    if (event.key === 'Escape') event.target.blur();
    if (event.key !== 'Enter' || event.target !== number) return;   // Enter leads on from a number
  }
  const press = selector => { const b = document.querySelector(selector); if (b) { event.preventDefault(); b.focus(); b.click(); } };
  const key = event.key.toLowerCase();
  if (key === 'enter') {
    if (event.repeat || event.target.closest('a, button, summary')) return;
    event.preventDefault();
    const rating = document.querySelector('[name=rating]');
    if (rating) rating.focus();   // never picks one
    else if (text) text.focus();
    else if (!ask) press('[data-key=next]');
    else if (answered()) $('check').children[1].focus();
    else need();
    return;
  }
  if (root.dataset.keys === 'off') return;
  if (number && /^[\d.,+−-]$/.test(key)) { number.focus(); number.setSelectionRange(-1, -1); }   // the key writes there
  else if (/^[1-9]$/.test(key)) press(`.choice:has([aria-keyshortcuts="${key}"]) input`);
  else if (!text && key === (number ? 'd' : '0')) press('#check [value=none]');
  else if (key === 'n') press('#check [value=unsure]');
  else if (key === 's') press('#check [value=sure]');
  else if (key === 'f') press('[data-key=follow]');
  else if (key === 't') $('clock-switch')?.click();
  else if (key === 'l') $('language')?.click();
});

// How many questions the choice on the start page makes.
const wish = $('wish');
if (wish) {
  const fits = JSON.parse(wish.dataset.fits), rooms = JSON.parse(wish.dataset.rooms), line = $('fit');
  const count = () => {
    const said = new FormData(wish), mixed = said.get('mixed') === '1';
    const topics = said.getAll('topics'), levels = said.getAll('levels');
    const fit = fits.filter(([lang, topic, level, open]) => lang === said.get('lang') && (mixed || open)
      && (!topics.length || topics.includes(topic)) && (!levels.length || levels.includes(level)))
      .reduce((sum, each) => sum + each[4], 0);
    const room = rooms[said.get('minutes')][Number(mixed)];
    const words = fit === 0 ? line.dataset.none : fit < room ? line.dataset.few : line.dataset.some;
    line.textContent = words.replace('{room}', room).replace('{fit}', fit);
  };
  wish.addEventListener('change', count);
  count();
}
