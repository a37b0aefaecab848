// What every drawing is made of: SVG elements, numbers as text, scales with their ticks, marks.
const NS = 'http://www.w3.org/2000/svg';
export const element = (name, attributes, parent) => {
  const e = document.createElementNS(NS, name);
  for (const key in attributes) e.setAttribute(key, attributes[key]);
  parent?.append(e);
  return e;
};
export const text = (parent, words, attributes) => { const e = element('text', attributes, parent); e.textContent = words; return e; };
export const canvas = (width, height, label) => element('svg', { viewBox: `0 0 ${width} ${height}`, width, height, role: 'img', 'aria-label': label });
export const number = cell => parseFloat(cell.dataset.v);
export const still = matchMedia('(prefers-reduced-motion: reduce)');

export function format(v, digits = 3) {
  if (!Number.isFinite(v)) return '–';
  const size = Math.abs(v);
  if (size === 0 || (size >= 1e-3 && size < 1e5)) return String(size < 1000 ? parseFloat(v.toPrecision(digits)) : Math.round(v)).replace('-', '−');
  const [lead, power] = v.toExponential(1).split('e'), times = parseFloat(lead) === 1 ? '' : `${parseFloat(lead)}×`;
  return `${times}10${[...power.replace('+', '')].map(c => '⁻⁰¹²³⁴⁵⁶⁷⁸⁹'['-0123456789'.indexOf(c)]).join('')}`.replace('-', '−');
}
// A median with the smallest and the largest value over the seeds.
export const span = ({ v, low, high }) => (Number.isFinite(low) && format(low) !== format(high) ? `${format(v)} (${format(low)}–${format(high)})` : format(v));

const pen = document.createElement('canvas').getContext('2d');
export function wide(words, plot) {
  pen.font = `12px ${getComputedStyle(plot).fontFamily}`;
  return pen.measureText(words).width;
}
export function fitted(words, room, plot) {
  if (wide(words, plot) <= room) return words;
  let kept = words;
  while (kept && wide(`${kept}…`, plot) > room) kept = kept.slice(0, -1);
  return `${kept.trimEnd()}…`;
}

// A scale from values to pixels, with its ticks. What a log scale cannot show has no place.
// `names` are those of the positions 0, 1, 2 …; each then has a tick and room on both sides.
export function scale(values, { log = false, names = null, from, to, count }) {
  const known = values.filter(v => Number.isFinite(v) && (!log || v > 0)), f = log ? Math.log10 : v => v;
  let low = Math.min(...known), high = Math.max(...known);
  if (!known.length) { low = log ? 1 : 0; high = 10; }
  if (names) { low = -.5; high = names.length - .5; }
  if (low === high) { low = log ? low / 2 : low - (Math.abs(low) / 10 || 1); high = log ? high * 2 : high + (Math.abs(high) / 10 || 1); }
  return {
    low, high, log,
    counts: !log && known.every(Number.isInteger),
    share: v => (f(v) - f(low)) / (f(high) - f(low)),
    at: v => from + (f(v) - f(low)) / (f(high) - f(low)) * (to - from),
    shows: v => Number.isFinite(v) && (!log || v > 0),
    label: v => (names ? names[v] : format(v)),
    ticks: names ? [...names.keys()] : log ? logTicks(low, high, count) : linearTicks(low, high, count, known.every(Number.isInteger)),
  };
}

function logTicks(low, high, count) {
  const powers = [];
  for (let e = Math.floor(Math.log10(low)); e <= Math.ceil(Math.log10(high)); e++) powers.push(e);
  const inside = list => list.filter(v => v >= low * .999 && v <= high * 1.001);
  for (const steps of [[1, 2, 3, 5], [1, 2, 5], [1]]) {
    const ticks = inside(powers.flatMap(e => steps.map(m => m * 10 ** e)));
    if (ticks.length <= count && ticks.length > 1) return ticks;
  }
  const tens = inside(powers.map(e => 10 ** e)), every = Math.ceil(tens.length / count);
  return tens.length > 1 ? tens.filter((_, i) => i % every === 0) : linearTicks(low, high, Math.min(count, 4), false);
}

function linearTicks(low, high, count, whole) {
  const raw = (high - low) / count, power = 10 ** Math.floor(Math.log10(raw));
  const nice = [1, 2, 2.5, 5, 10].map(m => m * power).filter(step => !whole || Number.isInteger(step));
  const step = Math.max(whole ? 1 : 0, nice.find(s => s >= raw) ?? 10 * power), ticks = [];
  for (let v = Math.ceil(low / step - 1e-9) * step; v <= high + step * 1e-9; v += step) ticks.push(Math.abs(v) < step * 1e-9 ? 0 : v);
  return ticks;
}

// Names under an axis, the first of them at `first`: level where they fit, else as steep as it takes that
// lines do not touch and no name leaves the drawing. `room` is what they need below the axis.
const SLANT = 40, LONGEST = 150, LINE = 15;
export function lettering(labels, spacing, plot, first) {
  const lengths = labels.map(label => Math.min(wide(label, plot), LONGEST)), longest = Math.max(0, ...labels.map(label => wide(label, plot)));
  const slants = longest > spacing - 6, inside = lengths.map((long, i) => Math.acos(Math.min(1, Math.max(0, first + i * spacing - 12) / long)));
  const slant = Math.max(SLANT * Math.PI / 180, Math.asin(Math.min(1, LINE / spacing)), ...inside);
  return {
    room: slants ? 14 + Math.min(longest, LONGEST) * Math.sin(slant) : 18,
    write(svg, label, x, y) {
      if (slants) text(svg, fitted(label, LONGEST, plot), { transform: `translate(${x + 4} ${y + 13})rotate(${-slant * 180 / Math.PI})`, 'text-anchor': 'end' });
      else text(svg, label, { x, y: y + 17, 'text-anchor': 'middle' });
    },
  };
}

const SHAPES = {
  2: 'm-3.2 -3.2h6.4v6.4h-6.4z', 3: 'm0 -4.2l4 7h-8z', 4: 'm0 -4.5l4.5 4.5l-4.5 4.5l-4.5 -4.5z',
  5: 'm0 4.2l-4 -7h8z', 6: 'm-1.5 -4.5h3v3h3v3h-3v3h-3v-3h-3v-3h3z', 7: 'm-4 0l2 -3.5h4l2 3.5l-2 3.5h-4z', 8: 'm-4.5 -2h9v4h-9z',
};
export function mark(key, x, y, parent, size = 1) {
  const at = { class: `mark s${key}`, transform: `translate(${x} ${y})scale(${size})` };
  return SHAPES[key] ? element('path', { ...at, d: `M0 0${SHAPES[key]}` }, parent) : element('circle', { ...at, r: 3.4 }, parent);
}

// Makes a drawing readable by arrow keys: `move` is told how far to go, `leave` when it is over.
export function readable(svg, move, leave) {
  const ways = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
  svg.setAttribute('tabindex', '0');
  svg.addEventListener('focus', () => move(0, 0));
  svg.addEventListener('keydown', event => {
    if (!ways[event.key] || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    move(...ways[event.key]);
  });
  svg.addEventListener('pointerleave', leave);
  svg.addEventListener('blur', leave);
}
