// Flag and note, kept as one writes. Without this file both travel with their form.
const $ = id => document.getElementById(id);
const place = $('note'), note = document.querySelector('#note-text[name]'), flag = $('flag'), status = $('note-say');
const draft = `note ${place.dataset.keep}`, PAUSE = 700, LONG = 1500;   // milliseconds
let tag = `"${place.dataset.etag}"`, known = note?.value, turn = Promise.resolve(), timer;

const say = words => { status.textContent = words; };
const api = (method, more) => fetch(place.dataset.keep, { method, keepalive: true, ...more });
const put = change => api('PUT', {
  headers: { 'Content-Type': 'application/json', 'If-Match': tag },
  body: JSON.stringify(change),
});

// One change after another: each needs the tag that the one before has left.
function keep(change, done) {
  turn = turn.then(async () => {
    let reply = await put(change);
    if (reply.status === 412) {   // changed elsewhere, and not for the worse unless it is the words
      const now = await api('GET');
      const words = (await now.json()).note;
      if ('note' in change && words !== known && words !== change.note.trim()) return say(status.dataset.stale);
      tag = now.headers.get('ETag');
      reply = await put(change);
    }
    if (!reply.ok) return say(status.dataset.lost);
    tag = reply.headers.get('ETag');
    done((await reply.json()).note);
  }).catch(() => say(status.dataset.lost));
}

flag.addEventListener('click', event => {
  event.preventDefault();
  const on = flag.getAttribute('aria-pressed') !== 'true';
  keep({ flagged: on }, () => {
    flag.setAttribute('aria-pressed', on);
    flag.value = on ? 'unflag' : 'flag';
    (flag.form.querySelector('[role=status]') ?? status).textContent = on ? flag.dataset.on : flag.dataset.off;
  });
});

function save() {
  clearTimeout(timer);
  timer = undefined;
  const words = note.value;
  say(status.dataset.saving);
  keep({ note: words }, stored => {
    known = stored;
    if (note.value !== words) return;
    sessionStorage.removeItem(draft);
    say(status.dataset.saved);
  });
}
if (note) {
  const words = sessionStorage.getItem(draft);   // written, and not known to be kept
  if (words !== null && words !== note.value) {
    note.value = words;
    save();
  }
  note.addEventListener('input', () => {
    sessionStorage.setItem(draft, note.value);
    clearTimeout(timer);
    timer = setTimeout(save, PAUSE);
  });
  note.form.addEventListener('submit', event => { if (!event.defaultPrevented) { clearTimeout(timer); timer = undefined; } });   // it carries the note
  $('language')?.addEventListener('click', event => {   // the page in the other language shows what is kept
    if (timer === undefined) return;
    event.preventDefault();
    const { href } = event.currentTarget;
    save();
    Promise.race([turn, new Promise(done => setTimeout(done, LONG))]).then(() => location.assign(href));
  });
  addEventListener('pagehide', () => { if (timer !== undefined) save(); });
}
