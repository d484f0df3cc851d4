// Planes: what a model says about two inputs (with a thumbnail per unit), and the loss around the weights.
import type { LandscapeData, SurfaceData } from '../../notebook/protocol/views.ts';
import { formatShare, formatValue } from '../charts/numbers.ts';
import { chartTheme } from '../charts/theme.ts';
import { h } from '../dom.ts';
import type { Ask, Drawing } from './live.ts';
import { css, heatColour, mix, paint, rgb, sheet, signedColour } from './paint.ts';
import { classColour, drawPoint, edgeColour, legend, sharp } from './points.ts';

const SIDE = 320;
export function surfaceView(_first: SurfaceData, _ask: Ask): Drawing<'surface'> {
  const element = h('div', { class: 'surface' });
  let data: SurfaceData;
  const show = () => {
    const { size, winner, chance, points, xRange, yRange, classes, accuracy, units } = data;
    const { canvas, context } = sharp(SIDE, SIDE, `Regions of ${classes.length} classes over two inputs; ${formatShare(accuracy)} of the points lie in their own`);
    const ground = rgb(chartTheme().paper);
    const field = document.createElement('canvas');
    field.width = size;
    field.height = size;
    paint(field, size, size, (i, out, to) => out.set(mix(ground, rgb(classColour(winner[i]!)), 0.12 + 0.5 * Math.max(0, (chance[i]! - 1 / classes.length) / (1 - 1 / classes.length))), to));
    context.imageSmoothingEnabled = true;
    context.drawImage(field, 0, 0, SIDE, SIDE);
    // The line between two regions, so that it does not hang on colour.
    context.strokeStyle = chartTheme().ink;
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
    element.dataset.accuracy = String(accuracy);
    element.replaceChildren(h('p', null, h('b', null, `${formatShare(accuracy)} of ${points.label.length} points`), ' lie in the region of their class'), legend(classes),
      h('div', { class: 'side-by-side' }, canvas, h('div', { class: 'unit-layers' }, units.map(({ layer, size: small, maps }) => h('section', null, h('h4', null, layer), h('div', { class: 'map-grid' }, maps.map((map, unit) => {
        const thumb = sheet(small, small, 2, `Unit ${unit} of ${layer}`);
        const reach = map.reduce((most, value) => Math.max(most, Math.abs(value)), 1e-12);
        paint(thumb, small, small, (i, out, to) => out.set(signedColour(map[i]! / reach), to));
        return thumb;
      })))))));
  };
  return { element, update: (next) => { data = next; show(); } };
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
