// Points of classes: told apart by shape as well as colour.
import { chartTheme } from '../charts/theme.ts';
import { h } from '../dom.ts';

const SHAPES = ['circle', 'square', 'triangle', 'diamond', 'cross', 'ring'] as const;

/** Of more than six classes those of one colour differ by shape. */
const shapeOf = (id: number) => SHAPES[(id + Math.floor(id / SHAPES.length)) % SHAPES.length]!;

/** Points differ by shape as well as colour. */
export function drawPoint(context: CanvasRenderingContext2D, x: number, y: number, id: number, size: number): void {
  const shape = shapeOf(id);
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

export const classColour = (id: number) => chartTheme().series[[0, 3, 2, 4, 1, 5][id % 6]!]!;

/** Shapes that are lines take the colour of their class; the others are set off from each other. */
export const edgeColour = (id: number) => (['cross', 'ring'].includes(shapeOf(id)) ? classColour(id) : chartTheme().paper);

/** A canvas with as many pixels as the screen has for it. */
export function sharp(width: number, height: number, label: string): { canvas: HTMLCanvasElement; context: CanvasRenderingContext2D } {
  const ratio = Math.min(2, devicePixelRatio || 1);
  const canvas = h('canvas', { class: 'plane', width: width * ratio, height: height * ratio, role: 'img', 'aria-label': label, style: { width: `${width}px`, height: 'auto', aspectRatio: `${width} / ${height}` } });
  const context = canvas.getContext('2d')!;
  context.scale(ratio, ratio);
  return { canvas, context };
}

export function legend(classes: readonly string[]): HTMLElement {
  return h('p', { class: 'plane-legend' }, classes.map((name, id) => {
    const { canvas, context } = sharp(14, 14, '');
    context.fillStyle = classColour(id);
    context.strokeStyle = edgeColour(id);
    drawPoint(context, 7, 7, id, 4);
    return h('span', null, h('img', { class: 'plane', src: canvas.toDataURL(), alt: '', width: 14, height: 14 }), ` ${name}`);
  }));
}
