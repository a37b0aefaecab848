// Pages with one main action: Enter starts it, unless a control has the focus.
document.addEventListener('keydown', event => {
  if (event.key !== 'Enter' || event.isComposing || event.keyCode === 229 || event.repeat) return;
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.closest('a, button, input, select, textarea, summary, [tabindex="0"]')) return;
  document.querySelector('[data-enter]')?.click();
});
