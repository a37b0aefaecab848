// The screens of a mock interview: countdown, draft and keys. Without this file the forms work as
// they are, and the server measures the time in any case.
import { $, answered, ask, choices, field, listen, number, press, set, switchClock, text } from './answering.js';
const root = $('mock');

// What was written or ticked stays on this device until the answer has arrived.
const kept = root && `mock ${root.dataset.draft}`;
if (root?.hasAttribute('data-answered')) localStorage.removeItem(kept);
if (ask) {
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
  const clock = $('clock'), bar = $('clock-bar');
  let told = '';
  const show = switchClock($('clock-switch'), hidden => {
    const used = Math.floor((Date.now() - began) / 1000), left = guide - used, s = Math.abs(left);
    clock.textContent = `${left < 0 ? '+' : ''}${Math.floor(s / 60)}:${String(s % 60).padStart(2, '0')}`;
    bar.value = Math.min(used, guide);
    clock.hidden = bar.hidden = hidden;
    const word = left <= 0 ? row.dataset.over : left <= 10 ? row.dataset.soon : '';
    if (word && word !== told && !hidden) $('clock-say').textContent = told = word;
  });
  setInterval(show, 1000);
}

const need = () => { $('say').textContent = ask.dataset.need; (number ?? choices[0]).focus(); };
ask?.addEventListener('submit', event => {
  if (!text && event.submitter?.value !== 'none' && !answered()) { event.preventDefault(); need(); }
});

if (root) listen({
  send: () => $('done'),
  need,
  works: () => root.dataset.keys !== 'off',
  keys: { f: press('[data-key=follow]'), t: set('clock-switch'), l: set('language'), ...(text && { 0: null }) },   // 0 gives up no open question
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
