// Draw a digit: pictures of 28 x 28 that a reader draws go through the model as test images would.
import { fitting, lastDataset, looking, picturesOf, requireModel } from '../../engine/api/inspect.ts';
import type { Model } from '../../engine/api/fit.ts';
import { tensor } from '../../engine/api/create.ts';
import type { Dataset } from '../../engine/api/dataset.ts';
import type { DigitPadData, ViewQuestion } from '../protocol/views.ts';
import type { ViewSource } from './views.ts';

const SIZE = 28;
const EXAMPLES = 30;

/** `dataset` says how pixels are scaled and what classes are called; the one trained on last unless given. */
export function digitPad(model: Model, dataset?: Dataset): ViewSource {
  requireModel('views.digitPad', model);
  // Other models may train on other data later: the pad stays with the first pictures of its size.
  let known = dataset ?? null;
  const from = () => {
    const last = known ?? lastDataset();
    if (!known && last && last.shape.reduce((product, each) => product * each, 1) === SIZE * SIZE) known = last;
    return known;
  };
  let drawn: Uint8Array | null = null;
  const examples = (): Pick<DigitPadData, 'examples' | 'labels'> => {
    const set = from();
    if (!set?.isImage || set.shape.join() !== `1,${SIZE},${SIZE}`) return { examples: null, labels: [] };
    const [x, y] = set.pick(Array.from({ length: Math.min(EXAMPLES, set.length) }, (_, i) => i));
    return { examples: picturesOf(x), labels: Array.from(y.values(), (id) => set.classes[id] ?? String(id)) };
  };
  const chances = (pixels: Uint8Array): number[] =>
    looking(model, () => {
      const stored = tensor(pixels, { dtype: 'uint8' }).reshape([1, 1, SIZE, SIZE]);
      const set = from();
      const x = set?.isImage ? set.encode(stored) : stored.to('float32').div(255);
      const { output } = fitting('views.digitPad', model, x);
      return Array.from(output.softmax(1).values());
    });
  let kept: ReturnType<typeof examples> | null = null;
  return {
    isLive: true,
    look(): DigitPadData {
      let answer: number[] | null = null;
      let trouble = '';
      try {
        if (drawn) answer = chances(drawn);
      } catch (error) {
        trouble = error instanceof Error ? error.message : String(error);
      }
      kept ??= examples();
      if (kept.examples === null && from()) kept = examples();
      return { name: 'digitPad', classes: from()?.classes ?? [], chances: answer, trouble, ...kept };
    },
    answer(question: ViewQuestion): void {
      if (question.act !== 'draw') return;
      const pixels = question.pixels;
      // A blank sheet is no digit: the model is not asked.
      drawn = pixels instanceof Uint8Array && pixels.length === SIZE * SIZE && pixels.some((pixel) => pixel > 0) ? pixels : null;
    },
  };
}
