// The offline page: what is kept here, what waits, what came of it. Titles, stems and choices
// are read from the kept pages.
import { typeset } from '../math.js';
import { forget, pageOf, PAGES } from './keeping.js';
import { all, get, remove } from './store.js';

const $ = id => document.getElementById(id), root = document.documentElement;
const lang = root.lang.startsWith('zh') ? 'zh' : 'en';
const word = name => ($('words').content.querySelector(`[data-word="${name}"]`) ?? $('words').content.querySelector('[data-word=other]')).textContent;
const state = name => $('states').content.querySelector(`[data-state=${name}]`).cloneNode(true);
const time = text => new Intl.DateTimeFormat(root.lang, { weekday: 'short', hour: '2-digit', minute: '2-digit' }).format(new Date(text));
const search = new URLSearchParams(location.search);

async function pageFor(id) {
  const page = await caches.match(pageOf(id, lang)) ?? await caches.match(pageOf(id, lang === 'en' ? 'zh' : 'en'));
  return page ? new DOMParser().parseFromString(await page.text(), 'text/html') : null;
}

const title = page => page?.querySelector('#stem [lang]');   // without its place in a day long gone

function adopt(target, source) {
  target.replaceChildren(...[...source?.childNodes ?? []].map(node => document.importNode(node, true)));
}

async function questions(answers) {
  const rows = [];
  const kept = (await all('questions')).filter(q => Date.parse(q.expires_at) > Date.now() && !answers.some(a => a.id === q.id && a.state !== 'unread'));
  for (const one of kept.sort((a, b) => a.place - b.place)) {
    const row = $('question').content.cloneNode(true), link = row.querySelector('a');
    adopt(link, title(await pageFor(one.id)));
    link.href = `/practice/${one.id}`;
    row.querySelector('[data-until]').textContent = word('until').replace('{}', time(one.expires_at));
    rows.push(row);
  }
  $('questions').querySelector('ul').replaceChildren(...rows);
  $('questions').hidden = false;
  $('none').hidden = kept.length > 0;
  $('next').hidden = !kept.length;
  if (kept.length) $('next').href = `/practice/${kept[0].id}`;
}

function states(one) {
  if (one.state === 'waiting') return [state('waiting')];
  if (one.state === 'unread') return [state('refused'), link('retry', `/practice/${one.id}`)];
  if (one.state === 'refused') return [state('refused'), drop(one.id)];
  const verdict = one.correct ? 'right' : one.correct === false ? 'wrong' : one.answer ? 'open' : 'known';
  return [state(verdict), link('why', one.answer ? `/answers/${one.answer}` : `/practice/${one.id}`)];
}

function link(name, address) { const made = state(name); made.href = address; return made; }

function drop(id) {
  const made = state('drop');
  made.addEventListener('click', async () => { await remove('answers', id); await forget(id); fill(); });
  return made;
}

async function answered(answers) {
  const rows = [];
  answers.sort((a, b) => b.body.answered_at.localeCompare(a.body.answered_at));
  for (const one of answers) {
    const row = $('answer').content.cloneNode(true), page = await pageFor(one.id), at = name => row.querySelector(`[data-${name}]`);
    adopt(at('title'), title(page));
    at('state').append(...states(one).flatMap(part => [part, ' ']));
    at('why').textContent = one.state === 'refused' ? word(one.code) : one.state === 'unread' ? word('unread') : word('waiting').replace('{}', time(one.body.answered_at));
    adopt(at('stem'), page?.querySelector('.stem'));
    at('said').replaceChildren(...said(one, page));
    rows.push(row);
  }
  $('answers').querySelector('ul').replaceChildren(...rows);
  $('answers').hidden = !answers.length;
  $('waits').hidden = !answers.some(a => a.state === 'waiting');
}

function said({ body, written }, page) {
  const line = text => Object.assign(document.createElement('p'), { textContent: text });
  if (body.dont_know) return [line(word('dont_know'))];
  if (body.text !== undefined || body.number !== undefined) return [line(body.text ?? written)];
  return body.choices.map(id => {
    const made = line(id), choice = page?.querySelector(`.choice:has([value="${CSS.escape(id)}"]) > span`);
    if (choice) adopt(made, choice);
    return made;
  });
}

async function unsent() {
  const form = await get('forms', 'last'), part = $('unsent'), shown = part.querySelector('form');
  part.hidden = !form;
  if (!form) return;
  const seen = form.fields.filter(([name, value]) => name !== 'csrf_token' && value.trim());
  part.querySelector('dl').replaceChildren(...seen.flatMap(([name, value]) => [
    Object.assign(document.createElement('dt'), { textContent: name }), Object.assign(document.createElement('dd'), { textContent: value })]));
  shown.action = form.action;
  for (const old of shown.querySelectorAll('input')) old.remove();
  shown.append(...form.fields.map(([name, value]) => Object.assign(document.createElement('input'), { type: 'hidden', name, value })));
}

let filling = Promise.resolve(), shown = '';
function fill() {   // once at a time, and not while nothing has changed: the reader may be at it
  filling = filling.then(async () => {
    const answers = await all('answers');
    const now = JSON.stringify([answers, await all('questions'), await all('forms')]);
    if (now === shown) return;
    shown = now;
    await answered(answers);
    await questions(answers);
    await unsent();
    $('kept').hidden = !answers.some(a => a.id === search.get('kept') && a.state === 'waiting');
    typeset();
  });
}

async function reach() {
  let there = false;
  try { there = (await fetch('/healthz')).ok; } catch { /* out of reach */ }
  const said = $('reach').dataset[there ? 'there' : 'away'];
  if ($('reach').textContent !== said) $('reach').textContent = said;
  if (there) (await navigator.serviceWorker?.ready)?.active?.postMessage({ send: true });
}

if (location.pathname !== '/offline') { $('again').href = location.href; $('again').hidden = false; }
document.querySelector('[data-send]').addEventListener('click', reach);
document.querySelector('[data-drop]').addEventListener('click', async () => { await remove('forms', 'last'); fill(); });
$('unsent').querySelector('form').addEventListener('submit', () => remove('forms', 'last'));
navigator.serviceWorker?.addEventListener('message', fill);
addEventListener('online', reach);
setInterval(reach, 15000);
fill();
reach();
