// How the curves of a run are drawn, and the row of controls that changes it. One row serves all panels of a chart.
import { h, setText } from '../dom.ts';
import type { Axis } from './curves.ts';
import { formatAmount } from './numbers.ts';

export interface ChartSettings {
  /** Share of the former average that stays; null: chosen by how noisy a line is. */
  readonly smoothing: number | null;
  readonly axis: Axis;
  readonly isLog: boolean;
  readonly ignoresOutliers: boolean;
}

export const USUAL_SETTINGS: ChartSettings = { smoothing: null, axis: 'step', isLog: false, ignoresOutliers: false };

const AXES: readonly { readonly axis: Axis; readonly label: string }[] = [
  { axis: 'step', label: 'Step' }, { axis: 'epoch', label: 'Epoch' }, { axis: 'samples', label: 'Examples' }, { axis: 'seconds', label: 'Seconds' }, { axis: 'flops', label: 'FLOPs' },
];

export const axisLabel = (axis: Axis): string => ({ step: 'step', epoch: 'epoch', samples: 'examples', seconds: 'seconds', flops: 'floating-point operations' })[axis];

/** How places on the axis are written; undefined: as whole numbers are. */
export const axisFormat = (axis: Axis): ((value: number) => string) | undefined => (axis === 'flops' ? formatAmount : undefined);

/** The slider is finer where averages are long: position 0 to 1 becomes a share 0 to 0.999. */
const shareOf = (position: number) => (position <= 0 ? 0 : 1 - 10 ** (-3 * position));
const positionOf = (share: number) => -Math.log10(1 - share) / 3;

let lastId = 0;

export class SettingsRow {
  readonly element: HTMLElement;
  private readonly change: (settings: ChartSettings) => void;
  private settings = USUAL_SETTINGS;
  private readonly slider: HTMLInputElement;
  private readonly value = h('output', { class: 'figures' }, 'auto');
  private readonly axes: HTMLSelectElement;
  private known = '';

  constructor(change: (settings: ChartSettings) => void) {
    this.change = change;
    const id = `smoothing-${++lastId}`;
    this.slider = h('input', { id, type: 'range', min: '0', max: '1', step: '0.01', value: String(positionOf(0.88)), data: { smoothing: '' }, on: { input: () => this.set({ smoothing: shareOf(Number(this.slider.value)) }) } });
    this.axes = h('select', { 'aria-label': 'Horizontal axis', data: { axis: '' }, on: { change: () => this.set({ axis: this.axes.value as Axis }) } });
    this.showAxes(['step']);
    this.element = h('div', { class: 'chart-settings', role: 'group', 'aria-label': 'How the curves are drawn' },
      h('label', { for: id }, 'Smoothing'), this.slider, this.value,
      h('label', null, 'Over ', this.axes),
      this.box('Log y', 'log', (isLog) => this.set({ isLog })),
      this.box('Ignore outliers', 'outliers', (ignoresOutliers) => this.set({ ignoresOutliers })));
  }

  /** Offers the axes that the run can be drawn over. */
  showAxes(axes: readonly Axis[]): void {
    const state = axes.join();
    if (state === this.known) return;
    this.known = state;
    this.axes.replaceChildren(...AXES.filter(({ axis }) => axes.includes(axis)).map(({ axis, label }) => h('option', { value: axis, selected: axis === this.settings.axis }, label)));
  }

  private set(change: Partial<ChartSettings>): void {
    this.settings = { ...this.settings, ...change };
    if (change.smoothing !== undefined) setText(this.value, change.smoothing === 0 ? 'off' : String(Number(change.smoothing!.toFixed(3))));
    this.change(this.settings);
  }

  private box(words: string, name: string, act: (isOn: boolean) => void): HTMLElement {
    const box = h('input', { type: 'checkbox', data: { setting: name }, on: { change: () => act(box.checked) } });
    return h('label', null, box, ` ${words}`);
  }
}
