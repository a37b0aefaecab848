// Draws the plot of each <figure class="figure"> from the table inside it: the table is the data.
// The figure says how to draw: data-kind line|points|heat|flow, and of its axes data-xscale, data-xlabel,
// data-xticks (names of 0, 1, 2 …), the same for y, and data-alt. The table of curves says what a column is:
// data-series (its place in the legend), data-role mid|lo|hi. The legend says how a series looks: data-s 1-8, t = theory, e1-e3 = an
// earlier run, p = a prediction; of which curve these two are: data-of. data-extra: an earlier run is named once.
import { canvas, element, format, lettering, mark, number, readable, scale, text, wide, fitted } from './drawing.js';
import { drawExpected } from './expect.js';
import { drawFlow } from './flow.js';
import { drawHeat } from './heat.js';
import './saving.js';

const MANY = 4;       // measured curves in one plot; more stand side by side
const measures = s => s.key >= '1' && s.key <= '8', lines = s => !measures(s) && s.key !== 'p';   // of this run; without marks
const PANEL = { one: 150, more: 132 }, NARROW = 118;   // height of one of them in one row or in more, and its least width
const HIGH = 250, LOW = 160;   // of a plot over slanting names

function readTable(figure) {
  const rows = [...figure.querySelectorAll('tbody tr')], series = [...figure.querySelectorAll('.legend li')].map(item => ({ key: item.dataset.s, of: Number(item.dataset.of ?? -1), extra: 'extra' in item.dataset, item }));
  figure.querySelectorAll('thead th').forEach((head, column) => {
    const one = series[head.dataset.series];
    if (!one) return;
    one[head.dataset.role] = rows.map(row => number(row.cells[column]));
    if (head.dataset.role === 'mid') one.name = head.dataset.v;
  });
  return { x: rows.map(row => number(row.cells[0])), series };
}

// The server wrote the names; a swatch goes before each and room for a value behind.
function legend(figure, series) {
  for (const s of series) {
    s.out = s.item.querySelector('output');
    s.item.classList.toggle('vh', !!s.titled);
    if (s.out) continue;
    const swatch = element('svg', { class: 'swatch', viewBox: '0 0 30 12', 'aria-hidden': 'true' });
    if (figure.dataset.kind === 'line' || !measures(s)) element('path', { class: `line s${s.key}`, d: 'M1 6H29' }, swatch);
    if (!lines(s)) mark(s.key, 15, 6, swatch);
    s.item.prepend(swatch);
    s.item.append(s.out = document.createElement('output'));
  }
}

export function draw(figure) {
  const plot = figure.querySelector('.plot'), { kind } = figure.dataset;
  if (!plot.clientWidth) return;
  if (kind === 'heat') drawHeat(figure, plot);
  else if (kind === 'flow') drawFlow(figure, plot);
  else if (kind === 'expect') drawExpected(figure, plot);
  else drawCurves(figure, plot);
}

function drawCurves(figure, plot) {
  const d = figure.dataset, { x: xs, series } = readTable(figure), width = plot.clientWidth;
  const names = { x: named(d.xticks), y: named(d.yticks) }, all = series.flatMap(s => [s.mid, s.lo ?? [], s.hi ?? []].flat());
  const measured = series.filter(measures), apart = d.kind === 'line' && measured.length > MANY;
  const left = names.y ? 10 + Math.min(120, Math.max(...names.y.map(name => wide(name, plot)))) : 48;
  const inset = d.kind === 'points' ? 18 : 6;
  const needs = Math.max(NARROW, Math.min(180, Math.max(...measured.map(s => wide(s.name, plot))) + 20)), most = Math.max(2, Math.floor((width - left - 14) / needs));
  const down = apart ? Math.ceil(measured.length / most) : 1, across = apart ? Math.ceil(measured.length / down) : 1;
  const each = (width - left - 14) / across, panel = down > 1 ? PANEL.more : PANEL.one;
  const spacing = (each - (apart ? 10 : 0) - 2 * inset) / (names.x?.length ?? 1);
  const letters = names.x ? lettering(names.x, spacing, plot, left + inset + spacing / 2) : { room: 18, write: (svg, label, x, y) => text(svg, label, { x, y: y + 17, 'text-anchor': 'middle' }) };
  const below = letters.room + 19, slanting = letters.room > 18;
  plot.classList.toggle('free', apart || slanting);
  const height = apart ? 24 + down * panel + below - 18 : slanting ? (plot.classList.contains('low') ? LOW : HIGH) + letters.room : plot.clientHeight;
  for (const s of series) s.titled = s.extra || (apart && measured.includes(s));   // its panel says its name
  legend(figure, series);
  const others = apart && measured.every(s => s.mid.every(v => Number.isFinite(v) && (v > 0 || d.yscale !== 'log'))) ? measured : [];   // a gap must not be filled by others
  const greys = figure.querySelector('.greys');
  if (greys) greys.hidden = !others.length;
  const svg = canvas(width, height, d.alt), frames = [];
  for (const [place, shown] of (apart ? measured : [null]).entries()) {
    const column = place % across, row = Math.floor(place / across), top = 24 + row * panel;
    const box = { left: left + column * each, right: left + (column + 1) * each - (apart ? 10 : 0), top, bottom: apart ? top + panel - 28 : height - below };
    const y = scale(all, { log: d.yscale === 'log', names: names.y, from: box.bottom - 6, to: box.top + (apart ? 20 : 4), count: box.bottom - box.top < 140 ? 4 : 6 });
    const x = scale(xs, { log: d.xscale === 'log', names: names.x, from: box.left + inset, to: box.right - inset, count: each < 200 ? 3 : each < 420 ? 5 : 9 });
    axes(svg, box, x, y, { first: column === 0, last: !apart || !slanting || place + across >= measured.length, letters, plot, left });
    if (shown) {
      for (const s of others) if (s !== shown) curve(svg, 'other', s, xs, x, y);
      text(svg, fitted(shown.name, each - 16, plot), { class: 'axis-name', x: box.left + 6, y: box.top + 12 });
      shown.here = text(svg, '', { class: 'axis-name', x: box.right - 4, y: box.top + 26, 'text-anchor': 'end' });
    }
    const drawn = (shown ? series.filter(s => s === shown || s.key === 't' || series[s.of] === shown) : [...series]).sort((a, b) => (b.key[0] === 'e') - (a.key[0] === 'e'));
    const beside = d.kind === 'points' && x.counts ? drawn.filter(measures) : [];   // equal points must not hide one another
    const gap = Math.min(9, (x.at(1) - x.at(0)) / (beside.length + 1));
    for (const s of drawn) curve(svg, d.kind, s, xs, x, y, beside.includes(s) ? (beside.indexOf(s) - (beside.length - 1) / 2) * gap : 0);
    frames.push({ box, x, hair: element('path', { class: 'hair', d: '' }, svg) });
  }
  text(svg, d.ylabel, { class: 'axis-name', x: 2, y: 12 });
  text(svg, d.xlabel, { class: 'axis-name', y: height - 5, ...(apart ? { x: (left + width - 14) / 2, 'text-anchor': 'middle' } : { x: width - 14, 'text-anchor': 'end' }) });
  readOut(svg, series, xs, frames);
  plot.replaceChildren(svg);
}

const named = list => (list ? JSON.parse(list) : null);

export function axes(svg, box, x, y, { first, last, letters, plot, left }) {
  for (const v of y.ticks) {
    element('path', { class: 'grid', d: `M${box.left} ${y.at(v)}H${box.right}` }, svg);
    if (first) text(svg, fitted(y.label(v), left - 8, plot), { x: box.left - 7, y: y.at(v) + 4, 'text-anchor': 'end' });
  }
  element('path', { class: 'axis', d: `M${box.left} ${box.bottom}H${box.right}` }, svg);
  for (const v of x.ticks) {
    element('path', { class: 'axis', d: `M${x.at(v)} ${box.bottom}v4` }, svg);
    if (last) letters.write(svg, x.label(v), x.at(v), box.bottom);
  }
}

function curve(svg, kind, s, xs, x, y, aside = 0) {
  const points = xs.map((v, i) => [x.at(v) + aside, i]).filter(([, i]) => x.shows(xs[i]) && y.shows(s.mid[i])), c = kind === 'other' ? 'so' : `s${s.key}`;
  const path = (list, values) => list.map(([at, i]) => `${at} ${y.at(Math.max(values[i], y.log ? y.low : -Infinity))}`);
  if (s.lo && kind === 'line' && points.length > 1) {
    const up = path(points, s.hi), down = path(points, s.lo).reverse();
    element('path', { class: `band ${c}`, d: `M${up.join('L')}L${down.join('L')}Z` }, svg);
  }
  if (kind === 'points' && measures(s)) {
    if (s.lo) for (const [at, i] of points) element('path', { class: `whisker ${c}`, d: `M${at} ${y.at(Math.max(s.lo[i], y.log ? y.low : -Infinity))}V${y.at(s.hi[i])}` }, svg);
  } else if (points.length) element('path', { class: `line ${c}`, d: 'M' + path(points, s.mid).join('L') }, svg);
  const every = kind === 'points' ? 1 : Math.ceil(points.length / 9);
  if (lines(s) || kind === 'other') return;
  for (const [at, i] of points.filter((_, place) => place % every === 0)) {
    const up = y.at(s.mid[i]), covers = svg.querySelector(`.mark[transform^="translate(${at} ${up})"]`);
    mark(s.key, at, up, svg, covers ? .5 : 1);   // what lies below stays to be seen
  }
}

// A hair under the pointer, and the values there in the legend, which keeps room for them.
function readOut(svg, series, xs, frames) {
  const places = xs.map((v, i) => [v, i]).filter(([v]) => frames[0].x.shows(v));
  if (!places.length) return;
  let now = 0;
  const tell = value => { for (const s of series) for (const out of [s.out, s.here]) if (out) out.textContent = value(s); };
  const show = place => {
    now = Math.max(0, Math.min(places.length - 1, place));
    const [v, i] = places[now];
    for (const { hair, x, box } of frames) hair.setAttribute('d', `M${x.at(v)} ${box.top}V${box.bottom}`);
    tell(s => format(s.mid[i]));
  };
  svg.addEventListener('pointermove', event => {
    const at = svg.getBoundingClientRect(), right = event.clientX - at.left, down = event.clientY - at.top;
    const { x } = frames.find(({ box }) => right <= box.right + 5 && down <= box.bottom + 5) ?? frames.at(-1);
    show(places.reduce((best, p, place) => (Math.abs(x.at(p[0]) - right) < Math.abs(x.at(places[best][0]) - right) ? place : best), 0));
  });
  readable(svg, (right, down) => show(now + right - down), () => {
    for (const { hair } of frames) hair.setAttribute('d', '');
    tell(() => '');
  });
}

const watcher = new ResizeObserver(entries => entries.forEach(entry => {
  const plot = entry.target;
  if (plot.dataset.width !== String(plot.clientWidth)) draw(plot.closest('.figure'));
  plot.dataset.width = plot.clientWidth;
}));
export function drawAll(root = document) {
  for (const figure of root.querySelectorAll('.figure:has(.plot)')) { draw(figure); watcher.observe(figure.querySelector('.plot')); }
}
