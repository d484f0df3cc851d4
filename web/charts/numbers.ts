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

const STEPS = [1, 1.2, 1.4, 1.6, 1.8, 2, 2.5, 3, 3.5, 4, 5, 6, 7, 8, 9, 10];

/** The smallest round number that is not below `value` (> 0): an axis end that does not move with every point. */
export function roundUp(value: number): number {
  if (!(value > 0)) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  const mantissa = value / power;
  return (STEPS.find((step) => step >= mantissa - 1e-9) ?? 10) * power;
}
