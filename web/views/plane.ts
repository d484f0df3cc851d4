// Planes: what a model says about two inputs (with a thumbnail per unit), examples as points, and the loss around the weights.
import type { EmbeddingData, LandscapeData, SurfaceData } from '../../notebook/protocol/views.ts';
import { formatShare, formatValue } from '../charts/numbers.ts';
import { chartTheme, onChartTheme } from '../charts/theme.ts';
import { h } from '../dom.ts';
import type { Ask, Drawing } from './live.ts';
import { css, heatColour, mix, paint, paintPicture, rgb, sheet, signedColour } from './paint.ts';

const SIDE = 320;
const SHAPES = ['circle', 'square', 'triangle', 'diamond', 'cross', 'ring'] as const;

/** Points differ by shape as well as colour. */
function drawPoint(context: CanvasRenderingContext2D, x: number, y: number, id: number, size: number): void {
  const shape = SHAPES[id % SHAPES.length]!;
  context.beginPath();
  if (shape === 'circle' || shape === 'ring') context.arc(x, y, size, 0, 7);
  else if (shape === 'square') context.rect(x - size, y - size, 2 * size, 2 * size);
  else if (shape === 'triangle') { context.moveTo(x, y - size * 1.2); context.lineTo(x + size * 1.1, y + size); context.lineTo(x - size * 1.1, y + size); context.closePath(); }
  else if (shape === 'diamond') { context.moveTo(x, y - size * 1.3); context.lineTo(x + size * 1.3, y); context.lineTo(x, y + size * 1.3); context.lineTo(x - size * 1.3, y); context.closePath(); }
  else { context.moveTo(x - size, y - size); context.lineTo(x + size, y + size); context.moveTo(x + size, y - size); context.lineTo(x - size, y + size); }
  if (shape === 'cross' || shape === 'ring') {
    context.lineWidth = 2;
    context.stroke();
    context.lineWidth = 1;
  } else {
    context.fill();
    context.stroke();
  }
}

const classColour = (id: number) => chartTheme().series[[0, 3, 2, 4, 1, 5][id % 6]!]!;

/** A canvas with as many pixels as the screen has for it. */
function sharp(width: number, height: number, label: string): { canvas: HTMLCanvasElement; context: CanvasRenderingContext2D } {
  const ratio = Math.min(2, devicePixelRatio || 1);
  const canvas = h('canvas', { class: 'plane', width: width * ratio, height: height * ratio, role: 'img', 'aria-label': label, style: { width: `${width}px`, height: `${height}px` } });
  const context = canvas.getContext('2d')!;
  context.scale(ratio, ratio);
  return { canvas, context };
}

function legend(classes: readonly string[]): HTMLElement {
  return h('p', { class: 'plane-legend' }, classes.map((name, id) => {
    const { canvas, context } = sharp(14, 14, '');
    canvas.setAttribute('aria-hidden', 'true');
    context.fillStyle = classColour(id);
    context.strokeStyle = SHAPES[id % 6] === 'cross' || SHAPES[id % 6] === 'ring' ? classColour(id) : chartTheme().paper;
    drawPoint(context, 7, 7, id, 4);
    return h('span', null, canvas, ` ${name}`);
  }));
}

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
      context.strokeStyle = SHAPES[id % 6] === 'cross' || SHAPES[id % 6] === 'ring' ? classColour(id) : chartTheme().paper;
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
  const stop = onChartTheme(() => show());
  return { element, update: (next) => { data = next; show(); }, close: stop };
}

export function embeddingView(_first: EmbeddingData, _ask: Ask): Drawing<'embedding'> {
  const element = h('div', { class: 'embedding' });
  const asPictures = h('input', { type: 'checkbox', on: { change: () => show() } });
  const words = h('output', { class: 'quiet' });
  const near = h('span', { class: 'near' });
  let data: EmbeddingData;
  const show = () => {
    const { x, y, label, classes, pictures, method, explained } = data;
    const width = 560;
    const height = 380;
    const { canvas, context } = sharp(width, height, `${x.length} examples by ${method}`);
    const scale = (values: Float32Array, size: number) => {
      const low = Math.min(...values);
      const high = Math.max(...values);
      return (value: number) => 14 + ((value - low) / (high - low || 1)) * (size - 28);
    };
    const px = scale(x, width);
    const down = scale(y, height);
    const py = (value: number) => height - down(value);
    const thumb = document.createElement('canvas');
    x.forEach((_, i) => {
      if (asPictures.checked && pictures) {
        thumb.width = pictures.width;
        thumb.height = pictures.height;
        paintPicture(thumb, pictures, i);
        context.drawImage(thumb, px(x[i]!) - 10, py(y[i]!) - 10, 20, 20);
        context.strokeStyle = classColour(label[i]!);
        context.strokeRect(px(x[i]!) - 10, py(y[i]!) - 10, 20, 20);
      } else {
        context.fillStyle = classColour(label[i]!);
        context.strokeStyle = SHAPES[label[i]! % 6] === 'cross' || SHAPES[label[i]! % 6] === 'ring' ? classColour(label[i]!) : chartTheme().paper;
        drawPoint(context, px(x[i]!), py(y[i]!), label[i]!, 3.4);
      }
    });
    canvas.addEventListener('pointermove', (event) => {
      const box = canvas.getBoundingClientRect();
      const [mx, my] = [event.clientX - box.left, event.clientY - box.top];
      let best = 0;
      for (let i = 0; i < x.length; i++) if ((px(x[i]!) - mx) ** 2 + (py(y[i]!) - my) ** 2 < (px(x[best]!) - mx) ** 2 + (py(y[best]!) - my) ** 2) best = i;
      words.textContent = `no. ${best}: ${classes[label[best]!] ?? label[best]}`;
      if (!pictures) return;
      const large = sheet(pictures.width, pictures.height, 2, `Example ${best}`);
      paintPicture(large, pictures, best);
      near.replaceChildren(large);
    });
    element.dataset.explained = String(explained);
    element.replaceChildren(h('p', { class: 'pick-row' }, h('b', null, method), explained === null ? '' : `, ${formatShare(explained)} of the variance `, pictures ? h('label', null, asPictures, ' pictures') : '', ' ', words), legend(classes), h('div', { class: 'side-by-side' }, canvas, near));
  };
  const stop = onChartTheme(() => show());
  return { element, update: (next) => { data = next; show(); }, close: stop };
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
    element.replaceChildren(h('p', null, h('b', null, `Loss ${formatValue(centre)} here`), `, ${formatValue(low)} to ${formatValue(high)} up to ${reach} of the weights' length away. Dark is low; each step of shade is a tenth of the way (logarithm). `, words), canvas, h('p', { class: 'quiet' }, h('span', { style: { color: css(heatColour(0.9)) } }, '■'), ' low ', h('span', { style: { color: css(heatColour(0.3)) } }, '■'), ' high'));
  };
  const stop = onChartTheme(() => show());
  return { element, update: (next) => { data = next; show(); }, close: stop };
}
