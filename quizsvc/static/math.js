// Sets formulas before first paint, through DOM calls, so that no inline style is parsed.
// Without script the MathML stays, which holds their source.
/* global katex */
const options = { throwOnError: false, strict: 'ignore', trust: false, maxExpand: 1000, maxSize: 20 };

export function typeset(root = document) {
  for (const element of root.querySelectorAll('.tex:not([data-set])')) {
    element.dataset.set = '';
    const source = (element.querySelector('annotation') ?? element).textContent.trim();
    try {
      katex.render(source, element, { ...options, displayMode: element.classList.contains('tex-block') });
    } catch {
      element.textContent = source;   // too deep to set: the source is better than nothing
    }
  }
}
typeset();
