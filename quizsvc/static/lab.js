// Runs without a new page: a form is sent in the background, the run is followed, and the
// parts that the server renders for the run's own page take the place of those here.
import { drawAll } from './chart.js';
import { still } from './drawing.js';
import { typeset } from './math.js';
import './copying.js';

const PERIOD = 500;   // milliseconds between two looks at a run
const ENDED = ['succeeded', 'failed', 'cancelled'];

async function page(address, options) {
  const reply = await fetch(address, { credentials: 'same-origin', ...options });
  const html = new DOMParser().parseFromString(await reply.text(), 'text/html');
  return { address: reply.url, status: reply.status, html };
}

// A status that was asked for here sticks to the edge of the window until the form is touched again (figures.css);
// where it cannot, it is scrolled to. The focus stays.
function reveal(status) {
  status.dataset.fresh = '';
  const { top, bottom } = status.getBoundingClientRect();
  if (status.dataset.status === 'lab' && top >= 0 && bottom < innerHeight + 1) return;
  status.scrollIntoView({ block: 'nearest', behavior: still.matches ? 'instant' : 'smooth' });
}

// Puts a part of another page in place of ours; `name` is what the part is called here.
function swap(ours, theirs) {
  const name = Object.keys(ours.dataset).find(key => key === 'status' || key === 'result');
  const fresh = document.adoptNode(theirs);
  if (name) fresh.dataset[name] = ours.dataset[name];
  if ('fresh' in ours.dataset) fresh.dataset.fresh = '';
  if (name && ours.dataset[name] !== 'lab') own(fresh, ours.dataset[name]);
  ours.replaceWith(fresh);
  const before = fresh.querySelector('[data-before]');
  if (before) before.hidden = !part('result', fresh.dataset.status).querySelector('.figure:not([data-kind=expect])');
  typeset(fresh);
  drawAll(fresh);
  follow(fresh);
  return fresh;
}

// A page with several runs has several results: each gets ids of its own.
function own(part, key) {
  for (const one of part.querySelectorAll('[id]')) one.id = `${key}-${one.id}`;
  for (const refers of ['for', 'aria-labelledby', 'aria-describedby'])
    for (const one of part.querySelectorAll(`[${refers}]`))
      one.setAttribute(refers, one.getAttribute(refers).replace(/\S+/g, id => `${key}-${id}`));
  for (const link of part.querySelectorAll('a[href^="#"]')) link.hash = `${key}-${link.hash.slice(1)}`;
}

function part(name, key, root = document) {
  const found = root.querySelector(`[data-${name}="${key}"]`);
  if (!found) throw new Error(`no ${name} of ${key} on the page`);
  return found;
}

// Follows every run that has not ended below `root`.
function follow(root) {
  const waiting = [root, ...root.querySelectorAll('[data-run]')];
  for (const element of waiting) if (element.dataset?.run && !ENDED.includes(element.dataset.state)) watch(element);
}

async function watch(element) {
  let run, looks = 0;
  try {
    do {
      await new Promise(done => setTimeout(done, PERIOD));
      if (!element.isConnected) return;
      const reply = await fetch(`/api/v1/runs/${element.dataset.run}`);
      if (!reply.ok) continue;
      run = await reply.json();
      tell(element, run);
      if (run.state === 'queued' && ++looks % 4 === 0) await renewWords(element);
    } while (!run || !ENDED.includes(run.state));
    await ('proofs' in element.dataset ? renew(element) : finish(element, run));
  } catch { setTimeout(() => watch(element), 8 * PERIOD); }   // the service is away: try again
}

function tell(element, run) {
  const bar = element.querySelector('progress'), words = element.querySelector('[role=status]');
  if (bar) bar.value = run.progress;
  if (words && run.state === 'running' && element.dataset.running) words.textContent = element.dataset.running.replace('{}', Math.round(run.progress * 100));
}

// How many runs are ahead of one that waits is said by its page.
async function renewWords(status) {
  const words = status.querySelector('[role=status]');
  if (!status.dataset.address || !words) return;
  const now = part('status', 'lab', (await page(status.dataset.address)).html).querySelector('[role=status]');
  if (now && now.textContent !== words.textContent) words.textContent = now.textContent;
}

// The evidence of an answer has a run of its own: show it as the server has it now.
async function renew(proofs) {
  const { html } = await page(location.href);
  swap(proofs, part('proofs', proofs.dataset.proofs, html));
}

async function finish(status, run) {
  const key = status.dataset.status, { address } = status.dataset, { html } = await page(address ?? `/runs/${run.id}`);
  const ours = part('result', key), theirs = part('result', 'lab', html);
  swap(status, part('status', 'lab', html));
  if (run.state !== 'succeeded') return;   // the figures of the run before stay
  swap(ours, theirs);
  if (key === 'lab') settle(html, address);
}

// The address is that of what is shown, and the list of runs knows it.
function settle(html, address) {
  const list = html.querySelector('[data-earlier]');
  if (list) swap(document.querySelector('[data-earlier]'), list);
  document.querySelector('[data-folded]')?.remove();
  history.replaceState(null, '', address);
}

// Another choice of the runs that lie behind this one.
document.addEventListener('change', async event => {
  const form = event.target.closest('[data-behind]');
  if (!form) return;
  const { id } = event.target, address = `${form.getAttribute('action')}?${new URLSearchParams(new FormData(form))}`;
  try {
    const { html } = await page(address);
    swap(part('result', 'lab'), part('result', 'lab', html));
    swap(part('status', 'lab'), part('status', 'lab', html));
    settle(html, address);
    document.getElementById(id)?.focus();
  } catch { warn(form, '', form.closest('[data-away]').dataset.away); }
});

document.addEventListener('submit', async event => {
  const form = event.target;
  if (!form.matches('[data-lab], [data-act]')) return;
  event.preventDefault();
  const sent = form.matches('[data-lab]') ? form : form.closest('[data-status]');
  const key = sent.dataset.lab ?? sent.dataset.status;
  sent.setAttribute('aria-busy', 'true');
  try {
    const { status, html } = await page(form.action, { method: 'POST', body: new FormData(form) });
    form.querySelector('[data-refused]')?.remove();
    for (const field of form.elements) field.removeAttribute('aria-invalid');
    if (status === 422 && form.matches('[data-lab]')) refuse(form, html);
    else if (status === 422) form.submit();   // the page with the reasons beside the fields
    else if (status >= 400) warn(form, ...['h1', 'h1 + p'].map(words => html.querySelector(words)?.textContent ?? ''));
    else {
      const now = swap(part('status', key), part('status', 'lab', html));
      reveal(now);
      if (now.dataset.state === 'succeeded') await finish(now, { id: now.dataset.run, state: 'succeeded' });
    }
  } catch { warn(form, '', form.closest('[data-away]').dataset.away); }
  sent.removeAttribute('aria-busy');
});

// The form stays as it is, with a word on why nothing came of it.
function warn(form, title, words) {
  form.querySelector('[data-refused]')?.remove();
  const notice = Object.assign(document.createElement('div'), { className: 'notice', role: 'alert', tabIndex: -1 });
  const about = document.createElement('p');
  about.append(Object.assign(document.createElement('b'), { textContent: title }), ` ${words}`);
  notice.dataset.refused = '';
  notice.dataset.v = 'wrong';
  notice.append(about);
  form.prepend(notice);
  notice.focus();
}

// A value that cannot be used: show the server's words over our form, which keeps its values.
function refuse(form, html) {
  const words = html.querySelector('[data-refused]');
  for (const link of words.querySelectorAll('[data-field]')) {
    const named = form.elements.namedItem(link.dataset.field), field = named instanceof RadioNodeList ? named[named.length - 1] : named;
    field.setAttribute('aria-invalid', 'true');
    link.hash = field.closest('[id]').id;
  }
  form.prepend(document.adoptNode(words));
  words.focus();
}

// A slider and a number field are one parameter.
document.addEventListener('input', event => {
  const field = event.target;
  if (field.form?.dataset.lab) delete part('status', field.form.dataset.lab).dataset.fresh;
  if (field.dataset?.for) document.getElementById(field.dataset.for).value = field.value;
  else for (const range of document.querySelectorAll(`[data-for="${CSS.escape(field.id)}"]`)) range.value = field.value;
});

drawAll();
follow(document);
