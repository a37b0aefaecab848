// Draws the plot of each <figure class="figure"> from the table inside it: the table is the data.
// Header cells say what a column is: data-series (its place in the legend), data-role mid|lo|hi.
// The legend says how a series looks: data-s 1-4, t = theory.
// The figure says how to draw: data-kind line|points, data-xscale, data-yscale, data-xlabel, data-ylabel, data-alt.
const NS = 'http://www.w3.org/2000/svg';
const element = (name, attributes, parent) => {
  const e = document.createElementNS(NS, name);
  for (const key in attributes) e.setAttribute(key, attributes[key]);
  parent?.append(e);
  return e;
};
const text = (parent, words, attributes) => { element('text', attributes, parent).textContent = words; };
const number = cell => parseFloat(cell.dataset.v);

function format(v) {
  if (!Number.isFinite(v)) return '–';
  const size = Math.abs(v);
  if (size === 0 || (size >= 1e-3 && size < 1e5)) return String(parseFloat(v.toPrecision(3))).replace('-', '−');
  const [digits, power] = v.toExponential(1).split('e'), times = parseFloat(digits) === 1 ? '' : `${parseFloat(digits)}×`;
  return `${times}10${[...power.replace('+', '')].map(c => '⁻⁰¹²³⁴⁵⁶⁷⁸⁹'['-0123456789'.indexOf(c)]).join('')}`.replace('-', '−');
}

function readTable(figure) {
  const rows = [...figure.querySelectorAll('tbody tr')], series = [...figure.querySelectorAll('.legend li')].map(item => ({ key: item.dataset.s, item }));
  figure.querySelectorAll('thead th').forEach((head, column) => {
    if (head.dataset.series) series[head.dataset.series][head.dataset.role] = rows.map(row => number(row.cells[column]));
  });
  return { x: rows.map(row => number(row.cells[0])), series };
}

// A scale from values to pixels, with its ticks. What a log scale cannot show has no place.
function scale(values, log, from, to, count) {
  const known = values.filter(v => Number.isFinite(v) && (!log || v > 0)), f = log ? Math.log10 : v => v;
  let low = Math.min(...known), high = Math.max(...known);
  if (!known.length) { low = log ? 1 : 0; high = 10; }
  if (low === high) { low = log ? low / 2 : low - (Math.abs(low) / 10 || 1); high = log ? high * 2 : high + (Math.abs(high) / 10 || 1); }
  return {
    low, high, log,
    at: v => from + (f(v) - f(low)) / (f(high) - f(low)) * (to - from),
    shows: v => Number.isFinite(v) && (!log || v > 0),
    ticks: log ? logTicks(low, high, count) : linearTicks(low, high, count, known.every(Number.isInteger)),
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
  const nice = [1, 2, 2.5, 5, 10].map(m => m * power).filter(step => !whole || Number.isInteger(step) || step > 1);
  const step = Math.max(whole ? 1 : 0, nice.find(s => s >= raw) ?? 10 * power), ticks = [];
  for (let v = Math.ceil(low / step - 1e-9) * step; v <= high + step * 1e-9; v += step) ticks.push(Math.abs(v) < step * 1e-9 ? 0 : v);
  return ticks;
}

function mark(key, x, y, parent) {
  const c = `mark s${key}`;
  if (key === '2') return element('rect', { class: c, x: x - 3.2, y: y - 3.2, width: 6.4, height: 6.4 }, parent);
  if (key === '3') return element('path', { class: c, d: `M${x} ${y - 4.2}l4 7h-8z` }, parent);
  if (key === '4') return element('path', { class: c, d: `M${x} ${y - 4.5}l4.5 4.5l-4.5 4.5l-4.5 -4.5z` }, parent);
  return element('circle', { class: c, cx: x, cy: y, r: 3.4 }, parent);
}

// The server wrote the names; a swatch goes before each and room for a value behind.
function legend(figure, series) {
  for (const s of series) {
    s.out = s.item.querySelector('output');
    if (s.out) continue;
    const swatch = element('svg', { class: 'swatch', viewBox: '0 0 30 12', 'aria-hidden': 'true' });
    if (figure.dataset.kind === 'line' || s.key === 't') element('path', { class: `line s${s.key}`, d: 'M1 6H29' }, swatch);
    if (s.key !== 't') mark(s.key, 15, 6, swatch);
    s.item.prepend(swatch);
    s.item.append(s.out = document.createElement('output'));
  }
}

export function draw(figure) {
  const plot = figure.querySelector('.plot'), d = figure.dataset, { x: xs, series } = readTable(figure);
  const width = plot.clientWidth, height = plot.clientHeight;
  if (!width || !height) return;
  legend(figure, series);
  const all = series.flatMap(s => [s.mid, s.lo ?? [], s.hi ?? []].flat());
  const ends = { left: 48, right: width - 14, top: 24, bottom: height - 34 };
  const y = scale(all, d.yscale === 'log', ends.bottom - 6, ends.top + 4, height < 190 ? 4 : 6);
  const x = scale(xs, d.xscale === 'log', ends.left + 6, ends.right - 6, width < 420 ? 5 : 9);
  const svg = element('svg', { viewBox: `0 0 ${width} ${height}`, width, height, role: 'img', 'aria-label': d.alt });

  for (const v of y.ticks) {
    element('path', { class: 'grid', d: `M${ends.left} ${y.at(v)}H${ends.right}` }, svg);
    text(svg, format(v), { x: ends.left - 7, y: y.at(v) + 4, 'text-anchor': 'end' });
  }
  element('path', { class: 'axis', d: `M${ends.left} ${ends.bottom}H${ends.right}` }, svg);
  for (const v of x.ticks) {
    element('path', { class: 'axis', d: `M${x.at(v)} ${ends.bottom}v4` }, svg);
    text(svg, format(v), { x: x.at(v), y: ends.bottom + 17, 'text-anchor': 'middle' });
  }
  text(svg, d.ylabel, { class: 'axis-name', x: 2, y: 12 });
  text(svg, d.xlabel, { class: 'axis-name', x: ends.right, y: height - 5, 'text-anchor': 'end' });
  for (const s of series) curve(svg, d.kind, s, xs, x, y);
  readOut(svg, series, xs, x, ends);
  plot.replaceChildren(svg);
}

function curve(svg, kind, s, xs, x, y) {
  const points = xs.map((v, i) => [v, i]).filter(([v, i]) => x.shows(v) && y.shows(s.mid[i])), c = `s${s.key}`;
  const path = (list, values) => list.map(([v, i]) => `${x.at(v)} ${y.at(Math.max(values[i], y.log ? y.low : -Infinity))}`);
  if (s.lo && kind === 'line' && points.length > 1) {
    const up = path(points, s.hi), down = path(points, s.lo).reverse();
    element('path', { class: `band ${c}`, d: `M${up.join('L')}L${down.join('L')}Z` }, svg);
  }
  if (kind === 'points' && s.key !== 't') {
    if (s.lo) for (const [v, i] of points) element('path', { class: `whisker ${c}`, d: `M${x.at(v)} ${y.at(s.lo[i])}V${y.at(s.hi[i])}` }, svg);
  } else if (points.length) element('path', { class: `line ${c}`, d: 'M' + path(points, s.mid).join('L') }, svg);
  const every = kind === 'points' ? 1 : Math.ceil(points.length / 9);
  if (s.key !== 't') points.forEach(([v, i], place) => { if (place % every === 0) mark(s.key, x.at(v), y.at(s.mid[i]), svg); });
}

// A hair under the pointer, and the values there in the legend, which keeps room for them.
function readOut(svg, series, xs, x, ends) {
  const hair = element('path', { class: 'hair', d: '' }, svg), places = xs.map((v, i) => [v, i]).filter(([v]) => x.shows(v));
  if (!places.length) return;
  svg.addEventListener('pointermove', event => {
    const at = event.clientX - svg.getBoundingClientRect().left;
    const [v, i] = places.reduce((best, p) => (Math.abs(x.at(p[0]) - at) < Math.abs(x.at(best[0]) - at) ? p : best));
    hair.setAttribute('d', `M${x.at(v)} ${ends.top}V${ends.bottom}`);
    for (const s of series) s.out.textContent = format(s.mid[i]);
  });
  svg.addEventListener('pointerleave', () => { hair.setAttribute('d', ''); for (const s of series) s.out.textContent = ''; });
}

const watcher = new ResizeObserver(entries => entries.forEach(entry => draw(entry.target.closest('.figure'))));
export function drawAll(root = document) {
  for (const figure of root.querySelectorAll('.figure:has(.plot)')) { draw(figure); watcher.observe(figure.querySelector('.plot')); }
}

// Downloads: the table as CSV, the drawing as SVG with its colours resolved.
function save(name, type, content) {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([content], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}
const PAINT = ['fill', 'fill-opacity', 'stroke', 'stroke-width', 'stroke-dasharray', 'font-family', 'font-size'];
function asSvg(source) {
  const copy = source.cloneNode(true), from = source.querySelectorAll('*');
  copy.setAttribute('xmlns', NS);
  copy.querySelectorAll('*').forEach((node, i) => {
    const style = getComputedStyle(from[i]);
    for (const property of PAINT) node.setAttribute(property, style.getPropertyValue(property));
  });
  return new XMLSerializer().serializeToString(copy);
}
function asCsv(figure) {
  const quoted = words => (/[",\n]/.test(words) ? `"${words.replaceAll('"', '""')}"` : words);
  const safe = cell => cell.dataset.v ?? cell.textContent.trim().replace(/^(?=[=+\-@\t\r])/, "'");   // a spreadsheet must not compute a name
  return [...figure.querySelectorAll('tr')].map(row => [...row.cells].map(safe).map(quoted).join(',')).join('\n') + '\n';
}
document.addEventListener('click', event => {
  const kind = event.target.closest('[data-save]')?.dataset.save, figure = event.target.closest('.figure');
  if (kind === 'csv') save(`${figure.id}.csv`, 'text/csv', asCsv(figure));
  else if (kind === 'svg') save(`${figure.id}.svg`, 'image/svg+xml', asSvg(figure.querySelector('.plot svg')));
});
