// What practice and the mock interview share: the question asked, the keys that answer it and the
// switch that hides the clock.
export const $ = id => document.getElementById(id);
export const ask = $('ask'), text = $('text'), number = $('number'), field = text ?? number;
export const choices = ask ? [...ask.querySelectorAll('[name=choice]')] : [];
export const answered = () => (field ? field.value.trim() !== '' : choices.some(c => c.checked));

// The button hides the clock here and on later pages; `draw` is told. Returns what draws it again.
export function switchClock(button, draw) {
  let hidden = localStorage.getItem('clock') === 'off';
  const show = () => {
    draw(hidden);
    button.textContent = hidden ? button.dataset.show : button.dataset.hide;
    button.setAttribute('aria-pressed', hidden);
  };
  show();
  button.addEventListener('click', () => { hidden = !hidden; localStorage.setItem('clock', hidden ? 'off' : 'on'); show(); });
  return show;
}

export const press = selector => event => { const b = document.querySelector(selector); if (b) { event.preventDefault(); b.focus(); b.click(); } };
export const set = id => event => { if ($(id)) { event.preventDefault(); $(id).click(); } };   // the focus stays: Enter leads on

// Enter leads on to what comes next; it never picks a rating or how sure one is.
function lead(event, need) {
  if (event.repeat || event.target.closest('a, button, summary')) return;
  event.preventDefault();
  const rating = document.querySelector('[name=rating]');
  if (rating) rating.focus();
  else if (!ask) press('[data-key=next]')(event);
  else if (text) text.focus();
  else if (answered()) $('check').children[1].focus();
  else need(event);
}

// Listens for keys. The page says what differs: the button that Ctrl+Enter presses, what happens
// where an answer is missing, whether single keys work, what more of them do, and Escape in a field.
export function listen({ send, need, works, keys, leave }) {
  const does = {
    [number ? 'd' : '0']: press('#check [value=none]'), n: press('#check [value=unsure]'), s: press('#check [value=sure]'), ...keys,
  };
  document.addEventListener('keydown', event => {
    // An input method is composing (229 in older browsers): the key belongs to it.
    if (event.isComposing || event.keyCode === 229) return;
    const sends = text && event.key === 'Enter' && (event.ctrlKey || event.metaKey) && send(event);
    if (sends) { event.preventDefault(); sends.click(); return; }
    if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector('dialog[open]')) return;
    if (event.target.closest('textarea, select, input:not([type=checkbox], [type=radio])')) {
      if (event.key === 'Escape') { event.target.blur(); leave?.(event.target); }
      if (event.key !== 'Enter' || event.target !== number) return;   // Enter leads on from a number
    }
    const key = event.key.toLowerCase();
    if (key === 'enter') lead(event, need);
    else if (!works(key)) return;
    else if (number && /^[\d.,+−-]$/.test(key)) { number.focus(); number.setSelectionRange(-1, -1); }   // the key writes there
    else if (/^[1-9]$/.test(key)) press(`.choice:has([aria-keyshortcuts="${key}"]) input`)(event);
    else does[key]?.(event);
  });
}
