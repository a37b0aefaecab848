// Every page: installs the worker that keeps questions and answers without the network, and
// has it send what waits. Pages that stand at the beginning or end of an answer renew what is kept.
const worker = navigator.serviceWorker, waiting = document.querySelector('[data-waiting]');
const RENEWS = /^\/($|offline|answers\/)/;

async function ask(what) {
  (await worker.ready).active?.postMessage(what);
}

async function count() {
  if (!waiting) return;
  const { all } = await import('./offline/store.js');
  const many = (await all('answers')).filter(a => a.state === 'waiting').length;
  waiting.hidden = !many;
  waiting.textContent = waiting.dataset.waiting.replace('{}', many);
}

if (worker) {
  addEventListener('load', async () => {
    await worker.register('/sw.js', { type: 'module' });
    await ask({ send: true, keep: RENEWS.test(location.pathname), lang: document.documentElement.lang });
  });
  addEventListener('online', () => ask({ send: true }));
  worker.addEventListener('message', count);
}
