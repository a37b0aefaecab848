// A heat map: cells of a table as colours, with the scale of the colours and the value under pointer or focus.
import { canvas, element, fitted, format, lettering, number, readable, scale, span, text, wide } from './drawing.js';

const BAR = 12, STRIPES = 64;

// Two blends, light to dark or dark to light as the theme has it; the lightness never turns back.
const shade = share => (share < .5
  ? `color-mix(in oklab, var(--heat-1) ${Math.round(200 * share)}%, var(--heat-0))`
  : `color-mix(in oklab, var(--heat-2) ${Math.round(200 * share - 100)}%, var(--heat-1))`);

function readMap(figure) {
  const heads = [...figure.querySelectorAll('thead th[data-v]')].map(head => head.dataset.v);
  const rows = [...figure.querySelectorAll('tbody tr')].map(row => ({
    name: row.cells[0].dataset.v,
    cells: [...row.cells].slice(1).map(cell => ({ v: number(cell), low: parseFloat(cell.dataset.lo), high: parseFloat(cell.dataset.hi) })),
  }));
  return { heads, rows };
}

// Every value that the colours of a figure stand for: those of its run share a scale where they measure the same.
function compared(figure) {
  const { vlabel, vscale } = figure.dataset;
  const all = [...figure.closest('[data-result]')?.querySelectorAll('.figure[data-kind=heat]') ?? [figure]];
  return all.filter(({ dataset }) => dataset.vlabel === vlabel && dataset.vscale === vscale).flatMap(one => readMap(one).rows.flatMap(row => row.cells.map(cell => cell.v)));
}

export function drawHeat(figure, plot) {
  const d = figure.dataset, { heads, rows } = readMap(figure), width = plot.clientWidth;
  plot.classList.add('free');
  const left = 13 + Math.min(width * .36, Math.max(...rows.map(row => wide(row.name, plot))));
  const each = (width - left - 2) / heads.length, tall = rows.length > 14 ? 20 : 28, top = 76, bottom = top + tall * rows.length;
  const shown = d.xticks ? heads : thinned(heads, each, plot), letters = lettering(shown, d.xticks ? each : Infinity, plot, left + each / 2), height = bottom + letters.room + 18;
  const svg = canvas(width, height, d.alt);
  const colour = scale(compared(figure), { log: d.vscale === 'log', from: 1, to: Math.min(width - 20, 340), count: 5 });
  key(svg, colour, d.vlabel);
  text(svg, d.ylabel, { class: 'axis-name', x: 2, y: top - 8 });
  const digits = [3, 2].find(count => rows.every(row => row.cells.every(({ v }) => wide(format(v, count), plot) < each - 5)));
  for (const [i, row] of rows.entries()) {
    text(svg, fitted(row.name, left - 8, plot), { x: left - 8, y: top + (i + .5) * tall + 4, 'text-anchor': 'end' });
    for (const [j, cell] of row.cells.entries()) square(svg, cell, colour, { x: left + j * each, y: top + i * tall, width: each - 1, height: tall - 1 }, digits);
  }
  for (const [j, head] of shown.entries()) letters.write(svg, head, left + (j + .5) * each, bottom - 4);
  text(svg, d.xlabel, { class: 'axis-name', x: width - 2, y: height - 4, 'text-anchor': 'end' });
  readOut(figure, plot, svg, { heads, rows, left, top, each, tall });
  plot.replaceChildren(svg);
}

// Numbers under an axis may be left out, names may not.
function thinned(heads, each, plot) {
  const every = Math.ceil((Math.max(...heads.map(head => wide(head, plot))) + 8) / each);
  return heads.map((head, j) => (j % every ? '' : head));
}

// The scale of the colours, with numbers.
function key(svg, colour, label) {
  const from = colour.at(colour.low), to = colour.at(colour.high), each = (to - from) / STRIPES;
  text(svg, label, { class: 'axis-name', x: 2, y: 12 });
  for (let i = 0; i < STRIPES; i++) element('rect', { class: 'cell', fill: shade((i + .5) / STRIPES), x: from + i * each, y: 18, width: each + .5, height: BAR }, svg);
  for (const v of colour.ticks) {
    element('path', { class: 'axis', d: `M${colour.at(v)} ${18 + BAR}v4` }, svg);
    text(svg, colour.label(v), { x: Math.max(colour.at(v), 8), y: 18 + BAR + 17, 'text-anchor': 'middle' });
  }
}

function square(svg, { v }, colour, box, digits) {
  if (!colour.shows(v)) {
    element('rect', { class: 'cell none', ...box }, svg);
    element('path', { class: 'axis', d: `M${box.x} ${box.y + box.height}L${box.x + box.width} ${box.y}` }, svg);
    return;
  }
  const share = colour.share(v);
  element('rect', { class: 'cell', fill: shade(share), ...box }, svg);
  if (digits) text(svg, format(v, digits), { class: share < .5 ? 'on-first' : 'on-last', x: box.x + box.width / 2, y: box.y + box.height / 2 + 4, 'text-anchor': 'middle' });
}

function readOut(figure, plot, svg, { heads, rows, left, top, each, tall }) {
  const out = figure.querySelector('.heat-value'), frame = element('rect', { class: 'cell-now', width: each - 1, height: tall - 1, visibility: 'hidden' }, svg);
  let i = 0, j = 0;
  const within = (value, count) => Math.max(0, Math.min(count - 1, value));
  const show = (row, column) => {
    i = within(row, rows.length);
    j = within(column, heads.length);
    for (const [name, value] of Object.entries({ x: left + j * each, y: top + i * tall, visibility: 'visible' })) frame.setAttribute(name, value);
    out.textContent = `${rows[i].name} · ${figure.dataset.xlabel}: ${heads[j]} · ${span(rows[i].cells[j])}`;
  };
  svg.addEventListener('pointermove', event => {
    const at = svg.getBoundingClientRect(), column = Math.floor((event.clientX - at.left - left) / each), row = Math.floor((event.clientY - at.top - top) / tall);
    if (rows[row] && heads[column] !== undefined) show(row, column);
  });
  readable(svg, (right, down) => show(i + down, j + right), () => { frame.setAttribute('visibility', 'hidden'); out.textContent = ''; });
}
