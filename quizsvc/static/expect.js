// An empty plot on which a candidate says what he expects: the fields below it hold the heights of a curve.
// A click sets the nearest one; arrow keys in a field move its point. The axes are those of the figure to come.
import { axes } from './chart.js';
import { canvas, element, mark, scale, text } from './drawing.js';
import { read } from './offline/numbers.js';

const STEPS = 50;   // of an arrow key, from end to end of the axis
const ready = new WeakSet();

export function drawExpected(figure, plot) {
  const d = figure.dataset, fields = [...figure.querySelectorAll('[data-x]')], width = plot.clientWidth, height = plot.clientHeight;
  const names = d.xticks ? JSON.parse(d.xticks) : null, box = { left: 48, right: width - 14, top: 24, bottom: height - 37 };
  const y = scale([Number(d.low), Number(d.high)], { log: d.yscale === 'log', from: box.bottom, to: box.top, count: 6 });
  const x = scale(fields.map(field => Number(field.dataset.x)), { log: d.xscale === 'log', names, from: box.left + 18, to: box.right - 18, count: 5 });
  x.ticks = fields.map(field => Number(field.dataset.x));
  const svg = canvas(width, height, d.alt), letters = { write: (to, label, at, under) => text(to, label, { x: at, y: under + 17, 'text-anchor': 'middle' }) };
  axes(svg, box, x, y, { first: true, last: true, letters, plot, left: box.left });
  text(svg, d.ylabel, { class: 'axis-name', x: 2, y: 12 });
  text(svg, d.xlabel, { class: 'axis-name', x: width - 14, y: height - 5, 'text-anchor': 'end' });
  const points = fields.map(field => [x.at(Number(field.dataset.x)), y.at(Math.min(Math.max(read(field.value), y.low), y.high))]).filter(([, at]) => Number.isFinite(at));
  if (points.length) element('path', { class: 'line sp', d: `M${points.map(point => point.join(' ')).join('L')}` }, svg);
  for (const point of points) mark('p', ...point, svg);
  svg.addEventListener('pointerdown', event => {
    const at = svg.getBoundingClientRect(), right = event.clientX - at.left, share = (box.bottom - event.clientY + at.top) / (box.bottom - box.top);
    const away = field => Math.abs(x.at(Number(field.dataset.x)) - right);
    set(fields.reduce((best, field) => (away(field) < away(best) ? field : best)), share, y);
    drawExpected(figure, plot);
  });
  plot.replaceChildren(svg);
  if (ready.has(figure)) return;
  ready.add(figure);
  figure.addEventListener('input', () => drawExpected(figure, plot));
  figure.addEventListener('keydown', event => {
    const way = { ArrowUp: 1, ArrowDown: -1 }[event.key];
    if (!way || !event.target.matches('[data-x]') || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    const ends = scale([Number(d.low), Number(d.high)], { log: d.yscale === 'log', from: 0, to: 1, count: 6 }), now = read(event.target.value);
    set(event.target, ends.shows(now) ? ends.share(now) + way / STEPS : .5, ends);
    drawExpected(figure, plot);
  });
}

// A share of the axis as a number with as many digits as one can aim.
function set(field, share, { low, high, log }) {
  const within = Math.min(1, Math.max(0, share)), value = log ? low * (high / low) ** within : low + (high - low) * within;
  field.value = String(Number(value.toPrecision(3)));
}
