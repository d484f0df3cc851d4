// From a drawing to what MNIST's authors would have stored: cropped, scaled into 20 x 20 without changing its proportions, and put
// into 28 x 28 with its centre of mass in the middle.

export const SIZE = 28;
const BOX = 20;

/** Ink of a drawing, 0 (none) to 255, row by row. */
export interface Ink {
  readonly width: number;
  readonly height: number;
  readonly values: Uint8Array | Uint8ClampedArray;
}

/** The 28 x 28 picture of a drawing, or null when nothing is drawn. `isCentred` false leaves out crop, scale and centring. */
export function preprocess(ink: Ink, isCentred = true): Uint8Array | null {
  const box = boundsOf(ink);
  if (!box) return null;
  if (!isCentred) return shrink(ink, { left: 0, top: 0, width: ink.width, height: ink.height }, SIZE, SIZE, 0, 0);
  const scale = BOX / Math.max(box.width, box.height);
  const width = Math.max(1, Math.round(box.width * scale));
  const height = Math.max(1, Math.round(box.height * scale));
  const small = shrink(ink, box, width, height, 0, 0, width, height);
  // The centre of mass, counted from the centre of the first pixel.
  let mass = 0;
  let sumX = 0;
  let sumY = 0;
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const value = small[y * width + x]!;
      mass += value;
      sumX += x * value;
      sumY += y * value;
    }
  }
  const left = Math.round((SIZE - 1) / 2 - sumX / mass);
  const top = Math.round((SIZE - 1) / 2 - sumY / mass);
  const result = new Uint8Array(SIZE * SIZE);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const toX = x + left;
      const toY = y + top;
      if (toX >= 0 && toX < SIZE && toY >= 0 && toY < SIZE) result[toY * SIZE + toX] = small[y * width + x]!;
    }
  }
  return result;
}

interface Box { left: number; top: number; width: number; height: number }

const FAINT = 12;

function boundsOf({ width, height, values }: Ink): Box | null {
  let left = width;
  let right = -1;
  let top = height;
  let bottom = -1;
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      if (values[y * width + x]! <= FAINT) continue;
      left = Math.min(left, x);
      right = Math.max(right, x);
      top = Math.min(top, y);
      bottom = y;
    }
  }
  return right < 0 ? null : { left, top, width: right - left + 1, height: bottom - top + 1 };
}

/** Averages the pixels of `box` that fall into each pixel of the smaller picture (or stretches, when it is larger). */
function shrink({ width, values }: Ink, box: Box, toWidth: number, toHeight: number, offsetX: number, offsetY: number, rowLength = SIZE, rows = SIZE): Uint8Array {
  const result = new Uint8Array(rowLength * rows);
  const stepX = box.width / toWidth;
  const stepY = box.height / toHeight;
  for (let y = 0; y < toHeight; y++) {
    for (let x = 0; x < toWidth; x++) {
      let sum = 0;
      let weight = 0;
      const fromY = y * stepY;
      const fromX = x * stepX;
      for (let sy = Math.floor(fromY); sy < fromY + stepY; sy++) {
        const shareY = Math.min(sy + 1, fromY + stepY) - Math.max(sy, fromY);
        for (let sx = Math.floor(fromX); sx < fromX + stepX; sx++) {
          const share = shareY * (Math.min(sx + 1, fromX + stepX) - Math.max(sx, fromX));
          if (share <= 0) continue;
          sum += share * (values[(box.top + Math.min(sy, box.height - 1)) * width + box.left + Math.min(sx, box.width - 1)] ?? 0);
          weight += share;
        }
      }
      result[(y + offsetY) * rowLength + x + offsetX] = Math.round(sum / (weight || 1));
    }
  }
  return result;
}

/** A 28 x 28 picture moved by whole pixels; what leaves the sheet is gone. */
export function nudge(pixels: Uint8Array, byX: number, byY: number): Uint8Array {
  const result = new Uint8Array(SIZE * SIZE);
  for (let y = 0; y < SIZE; y++) {
    for (let x = 0; x < SIZE; x++) {
      const fromX = x - byX;
      const fromY = y - byY;
      if (fromX >= 0 && fromX < SIZE && fromY >= 0 && fromY < SIZE) result[y * SIZE + x] = pixels[fromY * SIZE + fromX]!;
    }
  }
  return result;
}
