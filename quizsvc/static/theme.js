// The server prints the chosen theme from the cookie; a page kept for offline is older than that.
const root = document.documentElement, kept = /(?:^|; )theme=(light|dark)(?:;|$)/.exec(document.cookie);
if (kept) root.dataset.theme = kept[1];
document.addEventListener('click', event => {
  if (!event.target.closest('[data-theme-switch]')) return;
  const dark = root.dataset.theme ? root.dataset.theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
  root.dataset.theme = dark ? 'light' : 'dark';
  document.cookie = `theme=${root.dataset.theme}; path=/; max-age=31536000; samesite=lax`;
});
