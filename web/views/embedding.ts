// Examples as points by what a hidden layer makes of them: along the two directions in which it varies most (computed by the
// engine), or arranged so that near examples stay near (UMAP, in a worker of the page that is loaded when it is first wanted).
import type { EmbeddingData } from '../../notebook/protocol/views.ts';
import { formatShare, formatValue } from '../charts/numbers.ts';
import { chartTheme } from '../charts/theme.ts';
import { h, setText } from '../dom.ts';
import type { Ask, Drawing } from './live.ts';
import type { Arrangement, ArrangeRequest } from './neighbours.worker.ts';
import { paintPicture, sheet } from './paint.ts';
import { classColour, drawPoint, edgeColour, legend, sharp } from './points.ts';
import { formatCount } from '../shell/words.ts';

const WIDTH = 560;
const HEIGHT = 380;
const EDGE = 14;

export function embeddingView(_first: EmbeddingData, ask: Ask): Drawing<'embedding'> {
  const { canvas, context } = sharp(WIDTH, HEIGHT, '');
  const method = h('b');
  const share = h('span');
  const asPictures = h('input', { type: 'checkbox', on: { change: () => show() } });
  const picturesLabel = h('label', null, asPictures, ' pictures');
  const way = h('select', { 'aria-label': 'How the points are arranged', on: { change: () => choose() } }, h('option', { value: 'principal' }, 'by principal components'), h('option', { value: 'neighbours' }, 'by neighbours (UMAP)'));
  const again = h('button', { class: 'button', type: 'button', hidden: true, on: { click: () => choose() } }, 'Arrange again');
  const words = h('output', { class: 'quiet' });
  const near = h('span', { class: 'near' });
  const classList = h('div');
  const list = h('details', { on: { toggle: () => tabulate() } }, h('summary', null, 'As a table'));
  const element = h('div', { class: 'embedding' }, h('p', { class: 'pick-row' }, h('span', { class: 'told' }, method, share), way, again, ' ', picturesLabel, ' ', words), classList, h('div', { class: 'side-by-side' }, canvas, near), list);
  const thumb = document.createElement('canvas');
  let data: EmbeddingData;
  let worker: Worker | null = null;
  let arranged: Arrangement | null = null;
  let places: { x: number; y: number }[] = [];
  let shown: Pick<EmbeddingData, 'x' | 'y'> = { x: new Float32Array(0), y: new Float32Array(0) };
  let known = '';
  let arrangements = 0;

  const isByNeighbours = () => way.value === 'neighbours';

  function choose(): void {
    again.hidden = !isByNeighbours();
    arranged = null;
    stopWorker();
    setText(words, isByNeighbours() ? 'Arranging.' : '');
    ask({ act: isByNeighbours() ? 'rows' : 'directions' });
  }

  function stopWorker(): void {
    worker?.terminate();
    worker = null;
  }

  async function arrange(rows: NonNullable<EmbeddingData['rows']>): Promise<void> {
    stopWorker();
    try {
      const { default: Neighbours } = await import('./neighbours.worker.ts?worker');
      worker = new Neighbours({ name: 'neighbours' });
    } catch {
      return setText(words, 'What arranges the points did not load. Check the connection and try again.');
    }
    const mine = worker;
    mine.onmessage = ({ data: told }: MessageEvent<Arrangement>) => {
      if (worker !== mine) return;
      arranged = told;
      setText(words, told.done < 1 ? `Arranging, ${formatShare(told.done)}.` : 'Distances between groups mean little.');
      if (told.done >= 1) {
        stopWorker();
        arrangements++;
      }
      show();
      element.dataset.arrangements = String(arrangements);
    };
    mine.onerror = () => setText(words, 'The points could not be arranged.');
    mine.postMessage(rows satisfies ArrangeRequest);
  }

  function show(): void {
    const { label, classes, pictures, explained } = data;
    const { x, y } = isByNeighbours() && arranged?.x.length === data.x.length ? arranged : data;
    const by = isByNeighbours() ? data.method.replace('principal components', 'neighbours') : data.method;
    setText(method, by.charAt(0).toUpperCase() + by.slice(1));
    setText(share, explained === null || isByNeighbours() ? ' ' : `, ${formatShare(explained)} of the variance `);
    canvas.setAttribute('aria-label', `${formatCount(x.length)} examples by ${by}`);
    element.dataset.explained = String(explained);
    picturesLabel.hidden = !pictures;
    const looks = `${chartTheme().paper} ${classes.join()}`;
    if (known !== looks) classList.replaceChildren(legend(classes));
    known = looks;
    const scale = (values: Float32Array, size: number) => {
      const low = values.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
      const high = values.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY);
      return (value: number) => EDGE + ((value - low) / (high - low || 1)) * (size - 2 * EDGE);
    };
    const across = scale(x, WIDTH);
    const up = scale(y, HEIGHT);
    places = Array.from(x, (value, i) => ({ x: across(value), y: HEIGHT - up(y[i]!) }));
    shown = { x, y };
    tabulate();
    context.clearRect(0, 0, WIDTH, HEIGHT);
    places.forEach((place, i) => {
      const id = label[i]!;
      if (asPictures.checked && pictures) {
        thumb.width = pictures.width;
        thumb.height = pictures.height;
        paintPicture(thumb, pictures, i);
        context.drawImage(thumb, place.x - 10, place.y - 10, 20, 20);
        context.strokeStyle = classColour(id);
        context.strokeRect(place.x - 10, place.y - 10, 20, 20);
        return;
      }
      context.fillStyle = classColour(id);
      context.strokeStyle = edgeColour(id);
      drawPoint(context, place.x, place.y, id, 3.4);
    });
  }

  /** The points for those who do not see the picture; made only while somebody has it open. */
  function tabulate(): void {
    list.querySelector('.table-out')?.remove();
    if (!list.open) return;
    list.append(h('div', { class: 'table-out', tabIndex: 0, role: 'region', 'aria-label': 'Points of the embedding' }, h('table', null,
      h('thead', null, h('tr', null, ['no.', 'class', 'across', 'up'].map((name) => h('th', { scope: 'col' }, name)))),
      h('tbody', null, Array.from(shown.x, (value, i) => h('tr', null, h('th', { scope: 'row' }, String(i)), h('td', null, data.classes[data.label[i]!] ?? String(data.label[i])), [value, shown.y[i]!].map((each) => h('td', { data: { number: '' } }, formatValue(each)))))))));
  }

  canvas.addEventListener('pointermove', (event) => {
    const box = canvas.getBoundingClientRect();
    const [mx, my] = [((event.clientX - box.left) / box.width) * WIDTH, ((event.clientY - box.top) / box.height) * HEIGHT];
    const distance = ({ x, y }: { x: number; y: number }) => (x - mx) ** 2 + (y - my) ** 2;
    const best = places.reduce((found, place, i) => (distance(place) < distance(places[found]!) ? i : found), 0);
    if (!places.length) return;
    setText(words, `no. ${best}: ${data.classes[data.label[best]!] ?? data.label[best]}`);
    if (!data.pictures) return;
    const large = sheet(data.pictures.width, data.pictures.height, 2, `Example ${best}`);
    paintPicture(large, data.pictures, best);
    near.replaceChildren(large);
  });

  return {
    element,
    update: (next) => {
      data = next;
      // Rows come when they were asked for; those of a training that goes on do not begin it anew each time.
      if (next.rows && isByNeighbours() && !worker && !arranged) void arrange(next.rows);
      show();
    },
    close: stopWorker,
  };
}
