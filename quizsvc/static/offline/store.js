// What this device keeps in IndexedDB: questions asked ahead, answers that were given without
// the network, and the last form that could not be sent. Of an answer its verdict is kept,
// never the key.
const opened = new Promise((done, fail) => {
  const asked = indexedDB.open('quizsvc', 1);
  asked.onupgradeneeded = () => {
    asked.result.createObjectStore('questions', { keyPath: 'id' });
    asked.result.createObjectStore('answers', { keyPath: 'id' });
    asked.result.createObjectStore('forms', { keyPath: 'id' });
  };
  asked.onsuccess = () => done(asked.result);
  asked.onerror = () => fail(asked.error);
});

async function within(name, mode, act) {
  const transaction = (await opened).transaction(name, mode), asked = act(transaction.objectStore(name));
  return new Promise((done, fail) => {
    transaction.oncomplete = () => done(asked.result);
    transaction.onabort = () => fail(transaction.error);
  });
}

export const all = name => within(name, 'readonly', store => store.getAll());
export const get = (name, id) => within(name, 'readonly', store => store.get(id));
export const put = (name, value) => within(name, 'readwrite', store => store.put(value));
export const remove = (name, id) => within(name, 'readwrite', store => store.delete(id));
