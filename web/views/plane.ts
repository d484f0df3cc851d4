// Planes: what a model says about two inputs (with a thumbnail per unit), and the loss around the weights.
import type { LandscapeData, SurfaceData } from '../../notebook/protocol/views.ts';
import { formatShare, formatValue } from '../charts/numbers.ts';
import { chartTheme } from '../charts/theme.ts';
import { h, setAttribute, setText } from '../dom.ts';
import type { Ask, Drawing } from './live.ts';
import { css, heatColour, mix, paint, rgb, sheet, signedWriter } from './paint.ts';
import { classColour, drawPoint, edgeColour, legend, sharp } from './points.ts';
import { formatCount } from '../shell/words.ts';

const SIDE = 320;

/** Drawn in place: while something trains, only colours change. */
export function surfaceView(_first: SurfaceData, _ask: Ask): Drawing<'surface'> {
  const { canvas, context } = sharp(SIDE, SIDE, '');
  const field = document.createElement('canvas');
  const share = h('b');
  const names = h('div');
  const layers = h('div', { class: 'unit-layers' });
  const element = h('div', { class: 'surface' }, h('p', null, 'Points in the region of their class: ', share), names, h('div', { class: 'side-by-side' }, canvas, layers));
  let named = '';
  let built = '';
  let thumbs: HTMLImageElement[][] = [];
  return {
    element,
    update(data) {
      const { classes, accuracy, points, units } = data;
      setText(share, `${formatShare(accuracy)} of ${formatCount(points.label.length)}`);
      setAttribute(canvas, 'aria-label', `Regions of ${classes.length} classes over two inputs; ${formatShare(accuracy)} of the points lie in their own`);
      element.dataset.accuracy = String(accuracy);
      const dress = `${classes.join()} ${document.documentElement.dataset.theme}`;
      if (dress !== named) {
        named = dress;
        names.replaceChildren(legend(classes));
      }
      drawPlane(context, field, data);
      const shape = units.map(({ layer, size, maps }) => `${layer} ${size} ${maps.length}`).join();
      if (shape !== built) {
        built = shape;
        thumbs = units.map(({ layer, size, maps }) => maps.map((_, unit) => sheet(size, size, 2, `Unit ${unit} of ${layer}`)));
        layers.replaceChildren(...units.map(({ layer }, at) => h('section', null, h('h4', null, layer), h('div', { class: 'map-grid' }, thumbs[at]!))));
      }
      const colour = signedWriter();
      units.forEach(({ size, maps }, at) => maps.forEach((map, unit) => {
        const reach = map.reduce((most, value) => Math.max(most, Math.abs(value)), 1e-12);
        paint(thumbs[at]![unit]!, size, size, (i, out, to) => colour(map[i]! / reach, out, to));
      }));
    },
  };
}

/** Regions, the lines between them, and the points. */
function drawPlane(context: CanvasRenderingContext2D, field: HTMLCanvasElement, { size, winner, chance, points, xRange, yRange, classes }: SurfaceData): void {
  const theme = chartTheme();
  const ground = rgb(theme.paper);
  const colours = classes.map((_, id) => rgb(classColour(id)));
  field.width = size;
  field.height = size;
  paint(field, size, size, (i, out, to) => out.set(mix(ground, colours[winner[i]!]!, 0.12 + 0.5 * Math.max(0, (chance[i]! - 1 / classes.length) / (1 - 1 / classes.length))), to));
  context.imageSmoothingEnabled = true;
  context.drawImage(field, 0, 0, SIDE, SIDE);
  // The line between two regions, so that it does not hang on colour.
  context.strokeStyle = theme.ink;
  context.lineWidth = 1.5;
  context.beginPath();
  const step = SIDE / size;
  for (let row = 0; row < size; row++) {
    for (let column = 0; column < size; column++) {
      const i = row * size + column;
      if (column + 1 < size && winner[i] !== winner[i + 1]) { context.moveTo((column + 1) * step, row * step); context.lineTo((column + 1) * step, (row + 1) * step); }
      if (row + 1 < size && winner[i] !== winner[i + size]) { context.moveTo(column * step, (row + 1) * step); context.lineTo((column + 1) * step, (row + 1) * step); }
    }
  }
  context.stroke();
  points.label.forEach((id, i) => {
    context.fillStyle = classColour(id);
    context.strokeStyle = edgeColour(id);
    drawPoint(context, ((points.x[i]! - xRange[0]) / (xRange[1] - xRange[0])) * SIDE, ((yRange[1] - points.y[i]!) / (yRange[1] - yRange[0])) * SIDE, id, 3.2);
  });
}

export function landscapeView(_first: LandscapeData, _ask: Ask): Drawing<'landscape'> {
  const element = h('div', { class: 'landscape' });
  let data: LandscapeData;
  const show = () => {
    const { size, losses, reach, centre } = data;
    const finite = [...losses].filter(Number.isFinite);
    const low = Math.min(...finite);
    const high = Math.max(...finite);
    // Losses differ by powers, so the picture shows their logarithm.
    const share = (value: number) => (Number.isFinite(value) ? Math.log(value / low + 1e-9) / Math.log(high / low + 1e-9) : 1);
    const canvas = sheet(size, size, Math.round(SIDE / size), `Loss on a plane through the weights, from ${formatValue(low)} to ${formatValue(high)}; ${formatValue(centre)} in the middle`);
    paint(canvas, size, size, (i, out, to) => {
      const level = Math.round(share(losses[i]!) * 10) / 10;
      out.set(heatColour(1 - level), to);
    });
    const words = h('output', { class: 'quiet figures' });
    canvas.addEventListener('pointermove', (event) => {
      const box = canvas.getBoundingClientRect();
      const [column, row] = [event.clientX - box.left, event.clientY - box.top].map((at) => Math.min(size - 1, Math.max(0, Math.floor((at / box.width) * size)))) as [number, number];
      words.textContent = `loss ${formatValue(losses[row * size + column]!)}`;
    });
    element.dataset.centre = String(centre);
    element.replaceChildren(h('p', null, h('b', null, `Loss ${formatValue(centre)} here`), `; around it, up to ${reach === 1 ? 'as far as the weights are long' : `${reach} times as far as the weights are long`}, ${formatValue(low)} to ${formatValue(high)}. The stronger the colour, the lower, in ten shades (logarithm). `, words), canvas, h('p', { class: 'quiet' }, h('span', { style: { color: css(heatColour(0.9)) } }, '■'), ' low ', h('span', { style: { color: css(heatColour(0.3)) } }, '■'), ' high'));
  };
  return { element, update: (next) => { data = next; show(); } };
}
