// One block as a diagram that can be stepped through: the stream goes up, the branch leaves it and joins
// it again; then the gradient comes back down. Widths and numbers are those of the table inside the figure.
// Nothing plays by itself, and with reduced motion nothing plays at all: there are the steps.
import { canvas, element, fitted, format, number, span, still, text } from './drawing.js';

const PITCH = 46, BOX = { width: 96, height: 24 }, FOOT = 40, HEAD = 64, APART = 112, TWO = 560, THREE = 690;   // widths at which two or three placements fit
const PERIOD = 1300, MOVE = 500;   // milliseconds of a step, and of what moves in it
const states = new WeakMap();

// Where the data is after a step: on the stream, the branch or the skip path.
function readWays(figure) {
  return [...figure.querySelectorAll('tbody')].map(body => {
    let path = 'stream';
    const [title, ...rows] = body.rows;
    const steps = rows.map(row => {
      const { does, step } = row.dataset, [forward, back] = [...row.querySelectorAll('td')].map(cell => ({ v: number(cell), low: parseFloat(cell.dataset.lo), high: parseFloat(cell.dataset.hi) }));
      path = { read: 'branch', keep: 'skip', add: 'stream' }[does] ?? path;
      return { does, path, place: Number(step), name: row.cells[0].dataset.v, forward, back };
    });
    return { name: title.cells[0].dataset.v, steps };
  });
}

export function drawFlow(figure, plot) {
  const state = states.get(figure) ?? begin(figure);
  const sides = [...figure.querySelectorAll('[data-side]')], wide = plot.clientWidth, fit = wide >= THREE ? 3 : wide >= TWO ? 2 : 1;
  sides.forEach((side, i) => { side.parentElement.hidden = i >= fit; });
  state.shown = sides.slice(0, fit).map(side => state.ways[side.value]);
  state.places = [...new Set(state.shown.flatMap(way => way.steps.map(step => step.place)))].sort((a, b) => a - b);
  state.at = Math.min(state.at, 2 * state.places.length);
  render(figure, plot, state, false);
}

function begin(figure) {
  const state = { ways: readWays(figure), at: 0, timer: null }, plot = figure.querySelector('.plot');
  states.set(figure, state);
  const go = at => { state.at = Math.max(0, Math.min(2 * state.places.length, at)); render(figure, plot, state, true); };
  const stop = () => play(figure, state, go, false);
  const does = {
    play: () => play(figure, state, go, !state.timer),
    step: () => { stop(); go(state.at + 1); },
    back: () => { stop(); go(state.at - 1); },
    start: () => { stop(); go(0); },
  };
  const keys = { ArrowRight: 'step', ArrowLeft: 'back', Home: 'start' };
  figure.addEventListener('click', event => does[event.target.closest('[data-flow]')?.dataset.flow]?.());
  figure.addEventListener('change', () => { stop(); drawFlow(figure, plot); });
  figure.addEventListener('keydown', event => {
    if (event.ctrlKey || event.altKey || event.metaKey || event.target.closest('select, summary, .scroll')) return;
    const name = keys[event.key];
    if (!name) return;
    event.preventDefault();
    does[name]();
  });
  const button = figure.querySelector('[data-flow=play]'), hide = () => { button.hidden = still.matches; if (still.matches) stop(); };
  still.addEventListener('change', hide);
  hide();
  return state;
}

function play(figure, state, go, on) {
  clearInterval(state.timer);
  state.timer = null;
  const button = figure.querySelector('[data-flow=play]'), say = figure.querySelector('.say');
  button.textContent = on ? button.dataset.pause : button.dataset.play;
  say.setAttribute('aria-live', on ? 'off' : 'polite');   // a voice would never catch up
  if (!on) return;
  const last = 2 * state.places.length;
  go(state.at >= last ? 1 : state.at + 1);
  state.timer = setInterval(() => {
    if (!figure.isConnected || state.at >= last) play(figure, state, go, false);
    else go(state.at + 1);
  }, PERIOD);
}

function render(figure, plot, state, moves) {
  const { places, at, shown } = state, count = places.length, back = at > count;
  const done = new Set(back ? places.slice(2 * count - at) : at ? places.slice(0, at) : places);
  const now = at ? (back ? places[2 * count - at] : places[at - 1]) : null;
  say(figure, state, now, back);
  const levels = places.filter(place => shown.some(way => way.steps.some(step => step.place === place && step.path !== 'skip')));
  const height = HEAD + FOOT + (levels.length - 1) * PITCH, each = plot.clientWidth / shown.length;
  const svg = canvas(plot.clientWidth, height, figure.dataset.alt), words = figure.dataset;
  plot.classList.add('free');
  const key = back ? 'back' : 'forward', most = Math.max(...shown.flatMap(way => way.steps.map(step => step[key].v)));
  for (const [i, way] of shown.entries()) {
    const middle = (i + .5) * each, x = { stream: middle - APART / 2, branch: middle + APART / 2 };
    const y = place => height - FOOT - levels.indexOf(place) * PITCH;
    text(svg, way.name, { class: 'axis-name', x: middle, y: 12, 'text-anchor': 'middle' });
    block(svg, way, { x, y, key, back, done, now, most, moves, words, plot, top: 24, foot: height - 12 });
  }
  plot.replaceChildren(svg);
}

function say(figure, { at, places, shown }, now, back) {
  const out = figure.querySelector('.say'), words = JSON.parse(out.dataset.words), count = places.length;
  if (!at) { out.textContent = still.matches ? words.by_hand : words.begin; return; }
  const found = shown.map(way => [way.name, way.steps.find(step => step.place === now)]);
  const fill = (pattern, values) => pattern.replace(/\{(\w+)\}/g, (_, name) => values[name]);
  const head = fill(back ? words.back : words.forward, { n: back ? at - count : at, total: count, step: found.find(([, step]) => step)[1].name });
  out.textContent = head + found.map(([name, step]) => fill(words.size, { placement: name, size: step ? span(step[back ? 'back' : 'forward']) : words.none })).join(words.between);
}

// Every step of a block is a box, a junction or the addition, and the line that leads on from it.
function block(svg, way, of) {
  const { x, y } = of, { steps } = way, half = BOX.height / 2;
  of.forks = new Set(steps.filter(step => step.does === 'read').map(step => y(step.place)));
  const box = step => ['norm', 'map', 'scale'].includes(step.does);
  const after = (i, test) => steps.slice(i + 1).find(test);
  const middle = step => (step.path === 'skip' ? (y(after(steps.indexOf(step), next => next.does === 'add').place) + y(steps.findLast(from => from.does === 'read' && from.place < step.place).place)) / 2 : y(step.place));
  const ways = steps.map((step, i) => {
    const start = step.does === 'in' ? of.foot - 12 : middle(step) - (box(step) ? half : step.does === 'add' ? 11 : 0);
    if (step.path === 'branch') {
      const next = steps[i + 1], out = step.does === 'read' ? [[x.stream, y(step.place)], [x.branch, y(step.place)]] : [[x.branch, start]];
      if (next.path === 'branch') return [...out, [x.branch, y(next.place) + half]];
      const join = y(after(i, later => later.does === 'add').place);
      return [...out, [x.branch, join], [x.stream + 11, join]];
    }
    if (step.path === 'skip') {
      const next = steps[i + 1], from = step.does === 'keep' ? y(steps.findLast(read => read.does === 'read' && read.place < step.place).place) : start;
      return [[x.stream, from], [x.stream, next.does === 'add' ? y(next.place) + 11 : middle(next) + half]];
    }
    const next = after(i, later => later.path === 'stream' || later.does === 'read');
    return [[x.stream, start], [x.stream, !next ? of.top : next.does === 'read' ? y(next.place) : y(next.place) + half]];
  });
  const shown = steps.map(step => of.done.has(step.place));
  for (const points of ways) element('path', { class: 'wire', d: path(points) }, svg);
  for (const [i, step] of steps.entries()) if (shown[i]) line(svg, step, of.back ? ways[i].toReversed() : ways[i], of);
  for (const step of steps) {
    const at = step.path === 'branch' ? x.branch : x.stream, on = step.place === of.now ? ' on' : '';
    if (step.does === 'add') {
      element('circle', { class: `box${on}`, cx: at, cy: y(step.place), r: 11 }, svg);
      element('path', { class: 'plus', d: `M${at - 6} ${y(step.place)}h12M${at} ${y(step.place) - 6}v12` }, svg);
    } else if (box(step)) {
      element('rect', { class: `box ${step.does}${on}`, x: at - BOX.width / 2, y: middle(step) - half, width: BOX.width, height: BOX.height, rx: 4 }, svg);
      text(svg, fitted(of.words[step.does] ?? step.name, BOX.width - 6, of.plot), { class: 'axis-name', x: at, y: middle(step) + 4, 'text-anchor': 'middle' });
    }
  }
  for (const [i, step] of steps.entries()) if (shown[i]) size(svg, step, ways[i], of);
}

const path = points => `M${points.map(point => point.join(' ')).join('L')}`;

function line(svg, step, points, of) {
  const width = 1.5 + 8 * step[of.key].v / of.most, [[ax, ay], [bx, by]] = points.slice(-2), side = 3.5 + width / 2;
  const far = Math.hypot(bx - ax, by - ay), [dx, dy] = far ? [(bx - ax) / far, (by - ay) / far] : [0, 0], forks = !dx && of.forks.has(by), tip = forks ? 0 : Math.min(side * 1.3, far);
  const flow = element('path', { class: `flow ${of.key}`, 'stroke-width': width, d: path([...points.slice(0, -1), [bx - dx * tip, by - dy * tip]]) }, svg);
  if (!forks) element('path', { class: `tip ${of.key}`, d: `M${bx} ${by}L${bx - dx * tip - dy * side} ${by - dy * tip + dx * side}L${bx - dx * tip + dy * side} ${by - dy * tip - dx * side}Z` }, svg);
  if (!of.moves || step.place !== of.now || still.matches) return;
  const long = flow.getTotalLength?.() || PITCH;
  flow.animate([{ strokeDasharray: `${long} ${long}`, strokeDashoffset: long }, { strokeDasharray: `${long} ${long}`, strokeDashoffset: 0 }], { duration: MOVE, easing: 'ease-out' });
}

// The number beside a line, away from the other path.
function size(svg, step, points, of) {
  const right = step.path === 'branch', [[, a], [, b]] = right && points.length > 2 && step.does !== 'read' ? points.slice(0, 2) : points.slice(-2);
  const x = right ? of.x.branch + 12 : of.x.stream - 12;
  text(svg, format(step[of.key].v), { class: `size ${of.key}`, x, y: (a + b) / 2 + 4, 'text-anchor': right ? 'start' : 'end' });
}
