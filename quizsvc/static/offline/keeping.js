// Questions asked ahead, so that they can be answered without the network: the first that are
// due, with the pages that ask them in both languages. The pages hold neither key nor reasons.
import { all, put, remove } from './store.js';

export const PAGES = 'questions';   // the cache of their pages
const MOST = 20, LANGUAGES = ['en', 'zh'];
const RENEW = 12 * 3600e3;   // milliseconds left of its day, below which a question is asked anew

export const pageOf = (id, lang) => `/practice/${id}?lang=${lang}`;

export async function keep() {
  await navigator.locks.request('quizsvc keeps', { ifAvailable: true }, async lock => {
    if (!lock) return;
    const asked = await fetch(`/api/v1/due?limit=${MOST}`);
    if (!asked.ok) return;
    const wanted = (await asked.json()).data, kept = await all('questions');
    const good = kept.filter(q => Date.parse(q.expires_at) - Date.now() > RENEW && wanted.some(w => w.slug === q.slug));
    for (const one of kept) if (!good.includes(one)) await forget(one.id);
    for (const [place, { slug }] of wanted.entries()) {
      const had = good.find(q => q.slug === slug);
      if (had && await paged(had.id)) { if (had.place !== place) await put('questions', { ...had, place }); continue; }
      const id = had?.id ?? await ask(slug, place);
      if (id && had) await pages(id);
    }
  });
}

async function ask(slug, place) {
  const shown = await fetch(`/api/v1/questions/${slug}/presentations`, {
    method: 'POST', headers: { 'Content-Type': 'application/json' }, body: '{}',
  });
  if (!shown.ok) return null;   // still being computed, or retired by now
  const { id, expires_at } = await shown.json();
  if (await pages(id)) await put('questions', { id, slug, place, expires_at });
  return id;
}

async function pages(id) {
  const cache = await caches.open(PAGES);
  for (const lang of LANGUAGES) {
    const page = await fetch(pageOf(id, lang));
    if (!page.ok || page.redirected) return false;
    await cache.put(pageOf(id, lang), page);
  }
  return true;
}

async function paged(id) {
  const cache = await caches.open(PAGES);
  return Boolean(await cache.match(pageOf(id, LANGUAGES.at(-1))));
}

export async function forget(id) {
  const cache = await caches.open(PAGES);
  for (const lang of LANGUAGES) await cache.delete(pageOf(id, lang));
  await remove('questions', id);
}
