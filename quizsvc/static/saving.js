// A drawing as a file: SVG or PNG, on white, with its title and legend, its colours those of the light theme.
import { element, text, wide } from './drawing.js';

const PAINT = ['fill', 'fill-opacity', 'stroke', 'stroke-width', 'stroke-dasharray', 'stroke-linecap', 'font-family', 'font-size', 'font-weight', 'visibility'];
const COLOURS = ['fill', 'stroke'], SHARP = 2, EDGE = 12, LINE = 20;

// Any colour that a browser knows as one that every program knows.
const pen = Object.assign(document.createElement('canvas'), { width: 1, height: 1 }).getContext('2d', { willReadFrequently: true });
function hex(colour) {
  pen.clearRect(0, 0, 1, 1);
  pen.fillStyle = colour;
  pen.fillRect(0, 0, 1, 1);
  return `#${[...pen.getImageData(0, 0, 1, 1).data.slice(0, 3)].map(part => part.toString(16).padStart(2, '0')).join('')}`;
}

// All that paints is inherited, so a part needs only what its parent has otherwise.
function painted(source) {
  const copy = source.cloneNode(true), from = [source, ...source.querySelectorAll('*')];
  [copy, ...copy.querySelectorAll('*')].forEach((node, i) => {
    const own = getComputedStyle(from[i]), above = i ? getComputedStyle(from[i].parentElement) : null;
    for (const property of PAINT) {
      const value = own.getPropertyValue(property);
      if (value === above?.getPropertyValue(property)) node.removeAttribute(property);
      else node.setAttribute(property, COLOURS.includes(property) && value !== 'none' ? hex(value) : value);
    }
    node.removeAttribute('class');
  });
  copy.removeAttribute('style');
  return copy;
}

function asSvg(figure) {
  const plot = figure.querySelector('.plot'), drawn = plot.querySelector('svg');
  const width = Math.max(Number(drawn.getAttribute('width')), 320), sheet = element('svg', { class: 'sheet' });
  const title = figure.querySelector('figcaption').dataset.v, named = figure.querySelectorAll('.legend li:not(.vh)'), out = element('g', {}, sheet);
  text(out, title, { class: 'sheet-title', x: EDGE, y: EDGE + 12 });
  let x = EDGE, y = EDGE + 22;
  for (const item of named) {
    const name = item.dataset.v, room = 36 + wide(name, plot) + 18;
    if (x > EDGE && x + room > width) { x = EDGE; y += LINE; }
    const swatch = item.querySelector('svg').cloneNode(true), at = element('g', { transform: `translate(${x} ${y})` }, out);
    at.append(...swatch.childNodes);
    text(at, name, { x: 36, y: 10 });
    x += room;
  }
  const top = named.length ? y + LINE : y;
  sheet.style.colorScheme = 'light';
  plot.append(sheet);                       // styles are those of the page
  const inner = drawn.cloneNode(true);
  element('g', { transform: `translate(${EDGE} ${top})` }, sheet).append(...inner.childNodes);
  const high = top + Number(drawn.getAttribute('height')) + EDGE, whole = width + 2 * EDGE;
  const copy = painted(sheet);
  sheet.remove();
  copy.prepend(element('rect', { width: whole, height: high, fill: '#ffffff' }));
  for (const [name, value] of Object.entries({ xmlns: 'http://www.w3.org/2000/svg', viewBox: `0 0 ${whole} ${high}`, width: whole, height: high })) copy.setAttribute(name, value);
  return new XMLSerializer().serializeToString(copy);
}

async function asPng(source) {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(source)}`;
  await image.decode();
  const sheet = Object.assign(document.createElement('canvas'), { width: image.width * SHARP, height: image.height * SHARP });
  sheet.getContext('2d').drawImage(image, 0, 0, sheet.width, sheet.height);
  return new Promise(done => { sheet.toBlob(done, 'image/png'); });
}

function save(name, blob) {
  const link = Object.assign(document.createElement('a'), { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

document.addEventListener('click', async event => {
  const kind = event.target.closest('[data-save]')?.dataset.save;
  if (!kind) return;
  const figure = event.target.closest('.figure'), source = asSvg(figure);
  save(`${figure.id}.${kind}`, kind === 'svg' ? new Blob([source], { type: 'image/svg+xml' }) : await asPng(source));
});
