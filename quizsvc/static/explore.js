// After filtering the focus stays where it was, and the new count is said.
const form = document.querySelector('[data-filters]'), key = 'explore-focus';
const keep = id => sessionStorage.setItem(key, id);

form.addEventListener('submit', () => keep(document.activeElement?.id || 'filter'));
for (const chip of document.querySelectorAll('a.chip')) chip.addEventListener('click', () => keep('q'));

const id = sessionStorage.getItem(key);
sessionStorage.removeItem(key);
if (id && !document.querySelector('[role=alert]')) {
  document.getElementById(id)?.focus({ preventScroll: true });
  const said = document.getElementById('count').innerText;
  setTimeout(() => { document.getElementById('said').textContent = said; }, 100);   // a live region tells changes
}
