// Answers given without the network: taken from the form of a question, and sent later, one
// after another, each under a key of its own, so that one sent twice counts once.
import { forget } from './keeping.js';
import { read } from './numbers.js';
import { all, get, put, remove } from './store.js';

const DAYS = 2 * 86400e3;   // milliseconds that a verdict stays in the list

export const now = () => new Date().toISOString();

// Keep what the form of a question says. The first answer counts; false if there was one.
export async function take(id, form) {
  const before = await get('answers', id);
  if (before && before.state !== 'unread') return false;
  const body = said(form), written = form.get('number') ?? '';
  const unread = Number.isNaN(body.number);
  await put('answers', { id, key: crypto.randomUUID(), body, written, state: unread ? 'unread' : 'waiting' });
  return true;
}

// The form as the API takes it.
function said(form) {
  const confidence = form.get('confidence'), seconds = parseFloat(form.get('seconds'));
  const body = { answered_at: now() };
  if (seconds >= 0) body.seconds = Math.min(seconds, 86400);
  if (confidence === 'none') return { ...body, dont_know: true };
  if (confidence) body.confidence = confidence;
  if (form.has('number')) return { ...body, number: read(form.get('number')) };
  if (form.has('text')) return { ...body, text: form.get('text').trim() };
  return { ...body, choices: form.getAll('choice') };
}

// Send what waits; how many still wait. One tab or worker at a time.
export function send() {
  return navigator.locks.request('quizsvc sends', async () => {
    const answers = await all('answers');
    for (const one of answers.filter(a => a.state === 'graded' && Date.now() - Date.parse(a.sent_at) > DAYS)) {
      await remove('answers', one.id);
      await forget(one.id);
    }
    const waiting = answers.filter(a => a.state === 'waiting');
    waiting.sort((a, b) => a.body.answered_at.localeCompare(b.body.answered_at));
    for (const [place, one] of waiting.entries()) {
      const result = await deliver(one);
      if (!result) return waiting.length - place;   // the service is away or busy: later
      await put('answers', { ...one, ...result, sent_at: now() });
      await remove('questions', one.id);   // its page stays, to be read
    }
    return 0;
  });
}

async function deliver({ id, key, body }) {
  let reply, words;
  try {
    reply = await fetch(`/api/v1/presentations/${id}/answers`, {
      method: 'POST', body: JSON.stringify(body),
      headers: { 'Content-Type': 'application/json', 'Idempotency-Key': key },
    });
    words = await reply.json();
  } catch {
    return null;
  }
  if (reply.ok) return { state: 'graded', answer: words.id, correct: words.correct, due: words.review?.due ?? null };
  if (reply.status >= 500 || reply.status === 429) return null;
  if (words.code === 'already-answered') return { state: 'graded', answer: null, correct: null, due: null };
  return { state: 'refused', code: words.code ?? '', detail: words.detail ?? '' };
}
