// A picture before Chart.js is there: the first chart of a page brings it. What is to be drawn is remembered until then, and the
// frame around the canvas keeps the place, so nothing moves when it comes.
import type { Picture, PictureOptions, PictureView } from './canvas.ts';

type Library = typeof import('./canvas.ts');

const NOTHING: Picture = { lines: [], xRange: [0, 1], yRange: [0, 1], missing: [], events: [], isLog: false, xLabel: '' };

let library: Library | null = null;
let loading: Promise<Library | null> | null = null;

function load(): Promise<Library | null> {
  loading ??= import('./canvas.ts').then((loaded) => (library = loaded), (error: unknown) => {
    // The next chart tries again.
    loading = null;
    console.warn(`Charts did not load: ${error instanceof Error ? error.message : error}`);
    return null;
  });
  return loading;
}

export class LatePicture {
  private view: PictureView | null = null;
  private waiting: Picture = NOTHING;
  private isClosed = false;

  constructor(canvas: HTMLCanvasElement, options: PictureOptions) {
    if (library) this.view = new library.PictureView(canvas, options);
    else {
      void load().then((loaded) => {
        if (!loaded || this.isClosed) return;
        this.view = new loaded.PictureView(canvas, options);
        this.view.draw(this.waiting, true);
      });
    }
  }

  /** What is drawn now, or will be. */
  get picture(): Picture {
    return this.view?.picture ?? this.waiting;
  }

  /** The picture as a PNG, at screen resolution; empty before it can be drawn. */
  toPng(): string {
    return this.view?.toPng() ?? 'data:,';
  }

  /** Shows `picture` soon. `isAsked`: the reader did something, so it shows at once. */
  draw(picture: Picture, isAsked = false): void {
    if (this.view) this.view.draw(picture, isAsked);
    else this.waiting = picture;
  }

  close(): void {
    this.isClosed = true;
    this.view?.close();
  }
}
