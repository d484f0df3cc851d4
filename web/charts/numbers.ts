// How numbers are written beside curves and on axes: the digits that matter, nothing more.

/** A value with four significant digits: 0.2134, 12.3, 1.2e-5. */
export function formatValue(value: number): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? 'NaN' : value > 0 ? '∞' : '−∞';
  if (value === 0) return '0';
  const size = Math.abs(value);
  if (size >= 1e6 || size < 1e-4) return value.toExponential(2).replace('e+', 'e').replace('-', '−');
  const digits = size >= 1000 ? 0 : size >= 100 ? 1 : size >= 10 ? 2 : size >= 1 ? 3 : 4;
  return value.toFixed(digits).replace('-', '−');
}

/** A share of one as percent with one digit: 97.3 %. */
export function formatShare(value: number): string {
  if (!Number.isFinite(value)) return formatValue(value);
  return `${(value * 100).toFixed(1).replace('-', '−')} %`;
}

const AMOUNTS = ['', ' k', ' M', ' G', ' T', ' P', ' E'];

/** A large amount with its thousands as a letter: 2.5 G. */
export function formatAmount(value: number): string {
  const power = Math.min(AMOUNTS.length - 1, Math.max(0, Math.floor(Math.log10(Math.abs(value) || 1) / 3 + 1e-9)));
  return `${Number((value / 1000 ** power).toPrecision(4))}${AMOUNTS[power]}`.replace('-', '−');
}

const STEPS = [1, 1.2, 1.4, 1.6, 1.8, 2, 2.5, 3, 3.5, 4, 5, 6, 7, 8, 9, 10];

/** The smallest round number that is not below `value` (> 0): an axis end that does not move with every point. */
export function roundUp(value: number): number {
  if (!(value > 0)) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  const mantissa = value / power;
  return (STEPS.find((step) => step >= mantissa - 1e-9) ?? 10) * power;
}

/** Ticks of an axis, about `most` of them: whole multiples of 1, 2 or 5 times a power of ten. */
export function roundTicks([low, high]: readonly [number, number], most: number): number[] {
  const rough = (high - low) / most;
  if (!(rough > 0 && Number.isFinite(rough))) return [low];
  const power = 10 ** Math.floor(Math.log10(rough));
  const size = [1, 2, 5, 10].map((factor) => factor * power).find((step) => step >= rough * (1 - 1e-9)) ?? power * 10;
  const first = Math.ceil(low / size - 1e-9);
  const last = Math.floor(high / size + 1e-9);
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, i) => Number(((first + i) * size).toPrecision(12)));
}

/** Ticks of a logarithmic axis: powers of ten, with 2 and 5 between when there are few. */
export function logTicks(min: number, max: number): number[] {
  const from = Math.floor(Math.log10(min));
  const to = Math.ceil(Math.log10(max));
  const decades = Math.log10(max / min);
  const every = Math.max(1, Math.ceil(decades / 6));
  const parts = decades <= 1 ? [1, 1.5, 2, 3, 5, 7] : decades <= 3.5 ? [1, 2, 5] : [1];
  const ticks: number[] = [];
  for (let power = from; power <= to; power += every) for (const part of parts) ticks.push(Number(`${part}e${power}`));
  return ticks.filter((tick) => tick >= min * 0.999999 && tick <= max * 1.000001);
}

/** A tick in few characters: 0.05, 20, 2.5e−6. */
export function formatTick(value: number): string {
  const size = Math.abs(value);
  const short = Number(value.toPrecision(4));
  const text = size !== 0 && (size < 1e-4 || size >= 1e6) ? short.toExponential().replace('e+', 'e') : String(short);
  return text.replace(/-/g, '−');
}
