// The canvas of the inspector: loads its wasm module when it is first needed, hands it snapshots, colours and input, and draws a
// frame only when something has changed.
import type { InspectorModule } from './module.d.ts';

type Create = (options: { readonly fonts: readonly string[]; locateFile(name: string): string }) => Promise<InspectorModule>;

export interface CanvasEvents {
  /** The person selected another tensor or node on the canvas. */
  selected(tensor: number, node: number): void;
  /** The canvas cannot draw any more. */
  lost(why: string): void;
}

/** Custom properties of the page, in the order of the colours of ui/view.h. */
const COLOURS = ['paper', 'ground', 'ground-strong', 'raised', 'ink', 'ink-soft', 'ink-faint', 'hairline', 'line-strong', 'accent', 'accent-ink', 'accent-ground', 'error', 'warn', ...[1, 2, 3, 4, 5, 6].map((i) => `series-${i}`)];

/** Frames after an input: the module answers some of it a frame later. */
const FRAMES_AFTER = 4;
/** CSS pixels of a turn of the wheel that counts as one. */
const WHEEL_STEP = 60;

export class InspectorCanvas {
  readonly element: HTMLCanvasElement;
  readonly panels: readonly string[];
  readonly #module: InspectorModule;
  readonly #events: CanvasEvents;
  readonly #sizes: ResizeObserver;
  #framesLeft = 0;
  #request = 0;
  #drawnAt = 0;
  /** All of the graph is shown, and stays so in another size until the person moves it. */
  #isFitted = true;
  #panel = '';
  #tensor = 0;
  #node = -1;
  #touches = new Map<number, { x: number; y: number; moved: number }>();

  /** Loads the module and draws into the element. Rejects, with words for people, when that cannot be. */
  static async load(element: HTMLCanvasElement, events: CanvasEvents): Promise<InspectorCanvas> {
    const context = element.getContext('webgl2', { alpha: false, antialias: false, depth: false, stencil: false, preserveDrawingBuffer: true });
    if (!context) throw new Error('This browser offers no WebGL2, so the inspector shows its tables.');
    const address = (name: string) => new URL(`inspector/${name}`, document.baseURI).href;
    const { default: create } = (await import(/* @vite-ignore */ address('inspector.js')).catch(() => {
      throw new Error('The inspector did not load: no answer from the server.');
    })) as { default: Create };
    const style = getComputedStyle(document.documentElement);
    const text = style.getPropertyValue('--font-text');
    const fonts = [`400 {px} ${text}`, `600 {px} ${text}`, `400 {px} ${style.getPropertyValue('--font-code')}`];
    await Promise.all(fonts.map((font) => document.fonts.load(font.replace('{px}', '14px'))));
    const module = await create({ fonts, locateFile: address });
    module.GL.makeContextCurrent(module.GL.registerContext(context, { majorVersion: 2, minorVersion: 0 }));
    module._ui_start();
    return new InspectorCanvas(element, module, events);
  }

  private constructor(element: HTMLCanvasElement, module: InspectorModule, events: CanvasEvents) {
    this.element = element;
    this.#module = module;
    this.#events = events;
    this.panels = Array.from({ length: module._ui_panel_count() }, (_, i) => module.UTF8ToString(module._ui_panel_name(i)));
    this.readColours();
    this.#listen();
    this.#sizes = new ResizeObserver(() => {
      if (this.#isFitted) this.#module._ui_fit();
      this.draw();
    });
    this.#sizes.observe(element);
  }

  /** The page's colours have changed. */
  readColours(): void {
    if (this.#module._ui_colour_count() !== COLOURS.length) throw new Error('The inspector and the page come from different versions; reload the page.');
    const style = getComputedStyle(document.documentElement);
    const painter = document.createElement('canvas').getContext('2d', { willReadFrequently: true })!;
    const colours = COLOURS.map((name) => {
      painter.fillStyle = style.getPropertyValue(`--${name}`).trim();
      painter.fillRect(0, 0, 1, 1);
      const [red, green, blue] = painter.getImageData(0, 0, 1, 1).data as unknown as [number, number, number];
      return (0xff000000 | (blue << 16) | (green << 8) | red) >>> 0;
    });
    const at = this.#module._malloc(colours.length * 4);
    this.#module.HEAPU32.set(colours, at >> 2);
    this.#module._ui_colours(at);
    this.#module._free(at);
    this.draw();
  }

  show(bytes: Uint8Array): void {
    const at = this.#module._malloc(bytes.length);
    this.#module.HEAPU8.set(bytes, at);
    this.#module._ui_snapshot(at, bytes.length);
    this.#module._free(at);
    this.draw(1);
  }

  showPanel(panel: string): void {
    this.#panel = panel;
    this.#module._ui_show(Math.max(0, this.panels.indexOf(panel)));
    this.draw();
  }

  filter(words: string): void {
    this.#withText(words, (at) => this.#module._ui_filter(at));
  }

  /** What cells are called: id and name of each. */
  nameCells(names: readonly (readonly [string, string])[]): void {
    this.#withText(names.map(([id, name]) => `${id}\t${name}\n`).join(''), (at) => this.#module._ui_cells(at));
  }

  /** The line of a cell that the person looks at; '' for none. */
  lookAt(cellId: string, line: number): void {
    this.#withText(cellId, (at) => this.#module._ui_look_at(at, line));
  }

  select(tensor: number, node: number): void {
    if (tensor === this.#tensor && node === this.#node) return;
    this.#tensor = tensor;
    this.#node = node;
    this.#module._ui_select_tensor(tensor);
    this.#module._ui_select_node(node);
    this.draw();
  }

  /** 0 shows all of the graph; another number makes it so many times as large. */
  zoom(by: number): void {
    this.#isFitted = by === 0;
    if (by === 0) this.#module._ui_fit();
    else this.#module._ui_zoom(by);
    this.draw();
  }

  /** Draws soon, so many times; news need one frame, what a person did a few more. */
  draw(frames = FRAMES_AFTER): void {
    this.#framesLeft = Math.max(this.#framesLeft, frames);
    this.#request ||= requestAnimationFrame(this.#frame);
  }

  #withText(text: string, use: (at: number) => void): void {
    const at = this.#module.stringToNewUTF8(text);
    use(at);
    this.#module._free(at);
    this.draw();
  }

  /** The person moved the graph: it stays as it was put. Tables are scrolled for themselves. */
  #moved(): void {
    if (this.#panel === 'Graph') this.#isFitted = false;
  }

  readonly #frame = (now: number): void => {
    this.#request = 0;
    const { clientWidth: width, clientHeight: height } = this.element;
    if (width === 0 || height === 0) return;
    const ratio = Math.min(4, devicePixelRatio || 1);
    const [pixelWidth, pixelHeight] = [Math.round(width * ratio), Math.round(height * ratio)];
    if (this.element.width !== pixelWidth || this.element.height !== pixelHeight) {
      this.element.width = pixelWidth;
      this.element.height = pixelHeight;
    }
    this.#module._ui_frame(width, height, ratio, (now - this.#drawnAt) / 1000);
    this.#drawnAt = now;
    this.element.style.cursor = this.#module._ui_cursor() === 1 ? 'pointer' : '';
    this.element.dataset.frames = String(Number(this.element.dataset.frames ?? 0) + 1);
    const tensor = this.#module._ui_selected_tensor();
    const node = this.#module._ui_selected_node();
    if (tensor !== this.#tensor || node !== this.#node) {
      this.#tensor = tensor;
      this.#node = node;
      this.#events.selected(tensor, node);
    }
    this.#framesLeft--;
    if (this.#framesLeft > 0) this.#request = requestAnimationFrame(this.#frame);
  };

  #listen(): void {
    const { element } = this;
    const on = <K extends keyof HTMLElementEventMap>(name: K, act: (event: HTMLElementEventMap[K]) => void, options?: AddEventListenerOptions) =>
      element.addEventListener(name, (event) => { act(event); this.draw(); }, options);
    const point = (event: PointerEvent | WheelEvent) => {
      const box = element.getBoundingClientRect();
      this.#module._ui_pointer(event.clientX - box.left, event.clientY - box.top);
    };
    on('pointermove', (event) => {
      if (event.buttons) this.#moved();
      if (event.pointerType === 'touch') this.#touchMoved(event);
      else point(event);
    });
    on('pointerdown', (event) => {
      element.setPointerCapture(event.pointerId);
      if (event.pointerType === 'touch') this.#touches.set(event.pointerId, { x: event.clientX, y: event.clientY, moved: 0 });
      else {
        point(event);
        this.#module._ui_button(event.button === 2 ? 1 : event.button === 1 ? 2 : 0, 1);
      }
    });
    const up = (event: PointerEvent) => {
      if (event.pointerType !== 'touch') return this.#module._ui_button(event.button === 2 ? 1 : event.button === 1 ? 2 : 0, 0);
      const touch = this.#touches.get(event.pointerId);
      this.#touches.delete(event.pointerId);
      // A finger that did not move has clicked.
      if (!touch || touch.moved > 8 || event.type === 'pointercancel') return;
      point(event);
      this.#module._ui_button(0, 1);
      this.#module._ui_button(0, 0);
    };
    on('pointerup', up);
    on('pointercancel', up);
    on('pointerleave', (event) => {
      if (event.pointerType !== 'touch') this.#module._ui_pointer(-1e6, -1e6);
    });
    on('wheel', (event) => {
      event.preventDefault();
      this.#moved();
      point(event);
      const unit = event.deltaMode === 1 ? 20 : event.deltaMode === 2 ? 400 : 1;
      this.#module._ui_wheel((-event.deltaX * unit) / WHEEL_STEP, (-event.deltaY * unit) / WHEEL_STEP, event.ctrlKey || event.metaKey ? 1 : 0);
    }, { passive: false });
    on('contextmenu', (event) => event.preventDefault());
    element.addEventListener('webglcontextlost', (event) => {
      event.preventDefault();
      this.#events.lost('The browser took the graphics memory of the inspector away. Its tables still work; close and open it to draw again.');
    });
  }

  /** One finger moves what is shown, two make it larger or smaller. */
  #touchMoved(event: PointerEvent): void {
    const touch = this.#touches.get(event.pointerId);
    if (!touch) return;
    const box = this.element.getBoundingClientRect();
    const other = [...this.#touches].find(([id]) => id !== event.pointerId)?.[1];
    if (other) {
      const before = Math.hypot(touch.x - other.x, touch.y - other.y);
      const after = Math.hypot(event.clientX - other.x, event.clientY - other.y);
      this.#module._ui_pointer((event.clientX + other.x) / 2 - box.left, (event.clientY + other.y) / 2 - box.top);
      this.#module._ui_wheel(0, Math.log(Math.max(0.2, after / Math.max(1, before))) / 0.2, 1);
    } else {
      this.#module._ui_pointer(event.clientX - box.left, event.clientY - box.top);
      this.#module._ui_wheel((event.clientX - touch.x) / WHEEL_STEP, (event.clientY - touch.y) / WHEEL_STEP, 0);
    }
    touch.moved += Math.hypot(event.clientX - touch.x, event.clientY - touch.y);
    touch.x = event.clientX;
    touch.y = event.clientY;
  }

  dispose(): void {
    cancelAnimationFrame(this.#request);
    this.#sizes.disconnect();
  }
}
