// The service worker: keeps what pages are made of, shows kept questions when the service
// cannot be reached, and keeps what is answered or entered until it can.
import { PAGES, keep, pageOf } from './keeping.js';
import { now, send, take } from './sending.js';
import { all, get, put } from './store.js';

const LANGUAGES = { en: 'en', 'zh-Hans': 'zh' };
const ASKED = /^\/practice\/(pres_\w+)$/;

export function start(version, files) {
  const shell = `shell ${version}`;

  self.addEventListener('install', event => {
    self.skipWaiting();
    event.waitUntil(caches.open(shell).then(cache => cache.addAll([...files, '/offline?lang=en', '/offline?lang=zh'])));
  });
  self.addEventListener('activate', event => event.waitUntil((async () => {
    for (const name of await caches.keys()) if (name.startsWith('shell ') && name !== shell) await caches.delete(name);
    await self.clients.claim();
  })()));
  self.addEventListener('message', event => event.waitUntil(asked(event.data)));
  self.addEventListener('sync', event => event.waitUntil(asked({ send: true }).then(left => {
    if (left) throw new Error('not all could be sent');   // the browser tries again
  })));
  self.addEventListener('fetch', event => {
    const { request } = event, { origin, pathname } = new URL(request.url);
    if (origin !== self.location.origin) return;
    if (request.mode === 'navigate') event.respondWith(visit(event, shell));
    else if (pathname.startsWith('/static/v-')) event.respondWith(file(request, pathname, version));
  });
}

// A kept page may be of a former version: then the files of now serve it.
async function file(request, pathname, version) {
  const had = await caches.match(request);
  if (had) return had;
  try {
    return await fetch(request);
  } catch (error) {
    const now = await caches.match(pathname.replace(/v-[^/]+/, `v-${version}`));
    if (now) return now;
    throw error;
  }
}

async function asked({ send: sends, keep: keeps, lang }) {
  if (lang in LANGUAGES) await (await caches.open('language')).put('/language', new Response(LANGUAGES[lang]));
  const left = sends ? await send() : 0;
  if (keeps) await keep().catch(() => {});
  await tell();
  return left;
}

async function tell() {
  for (const page of await self.clients.matchAll({ includeUncontrolled: true })) page.postMessage('changed');
}

async function visit(event, shell) {
  const { request } = event, url = new URL(request.url);
  const form = request.method === 'POST' ? request.clone() : null;
  try {
    const reply = await fetch(request);
    if (!form && reply.ok) event.waitUntil(remember(url, reply.clone()));
    return reply;
  } catch {
    return form ? unsent(form) : unseen(url, shell);
  }
}

// The question that is open may be loaded again.
async function remember(url, reply) {
  const lang = LANGUAGES[reply.headers.get('Content-Language')], id = ASKED.exec(url.pathname)?.[1];
  if (!lang || !id || url.searchParams.has('again')) return;
  await (await caches.open(PAGES)).put(pageOf(id, lang), reply);
}

async function language(url) {
  const chosen = url.searchParams.get('lang'), had = await caches.match('/language');
  return chosen === 'en' || chosen === 'zh' ? chosen : (await had?.text()) ?? 'en';
}

async function unseen(url, shell) {
  const lang = await language(url), id = ASKED.exec(url.pathname)?.[1];
  if (id && !await given(id)) {
    const page = await caches.match(pageOf(id, lang));
    if (page) return page;
  }
  if (url.pathname === '/practice') return next(null);
  return (await caches.open(shell)).match(`/offline?lang=${lang}`);
}

const given = async id => { const had = await get('answers', id); return had && had.state !== 'unread'; };

async function next(slug) {
  const kept = [];
  for (const one of await all('questions')) if (Date.parse(one.expires_at) > Date.now() && !await given(one.id)) kept.push(one);
  kept.sort((a, b) => a.place - b.place);
  const found = slug ? kept.find(one => one.slug === slug) : kept[0];
  return Response.redirect(found ? `/practice/${found.id}` : '/offline', 303);
}

async function unsent(request) {
  const { pathname } = new URL(request.url), form = await request.formData();
  const id = ASKED.exec(pathname)?.[1];
  if (pathname === '/practice') return next(form.get('slug'));
  if (id) {
    await take(id, form);
    await self.registration.sync?.register('send').catch(() => {});
  } else {
    const fields = [...form].filter(([, value]) => typeof value === 'string');
    await put('forms', { id: 'last', action: pathname, fields, at: now() });
  }
  await tell();
  return Response.redirect(id ? `/offline?kept=${id}` : '/offline?unsent', 303);
}
