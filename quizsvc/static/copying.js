// A button with data-copy copies the address of ours that it names, in full, or else the code beside it.
document.addEventListener('click', async event => {
  const button = event.target.closest('[data-copy]');
  if (!button) return;
  const { copy, copied } = button.dataset, code = copy ? null : button.parentElement.querySelector('code'), words = button.querySelector('span');
  words.dataset.before ??= words.textContent;
  words.setAttribute('role', 'status');
  try {
    await navigator.clipboard.writeText(code ? code.textContent : new URL(copy, location.href).href);
    words.textContent = copied;
    setTimeout(() => { words.textContent = words.dataset.before; }, 2000);
  } catch { if (code) getSelection().selectAllChildren(code); else location.assign(copy); }   // to copy by hand
});
