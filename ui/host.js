// What the inspector's module asks of the page: glyphs of the page's own fonts, drawn by the browser. So the inspector looks
// like the page, and shows every letter that the page can show. Sizes are in pixels of the screen.
addToLibrary({
  $glyphs: {
    canvas: null,
    context: null,
    /** CSS fonts in the order of the numbers that ui/fonts.cpp uses; the page may set Module.fonts. */
    font(number, size) {
      const fonts = Module['fonts'] || ['400 {px} sans-serif', '600 {px} sans-serif', '400 {px} monospace'];
      return fonts[number].replace('{px}', `${size}px`);
    },
    /** A context of at least this many pixels on a side, with the font set. */
    prepare(number, size) {
      const side = Math.ceil(size * 3) + 8;
      if (!glyphs.canvas) {
        glyphs.canvas = document.createElement('canvas');
        glyphs.context = glyphs.canvas.getContext('2d', { willReadFrequently: true });
      }
      if (glyphs.canvas.width < side) glyphs.canvas.width = glyphs.canvas.height = side;
      glyphs.context.font = glyphs.font(number, size);
      glyphs.context.textBaseline = 'alphabetic';
      return glyphs.context;
    },
  },

  host_font_metrics__deps: ['$glyphs'],
  host_font_metrics: (number, size, out) => {
    const measure = glyphs.prepare(number, size).measureText('Hg');
    HEAPF32[out >> 2] = measure.fontBoundingBoxAscent;
    HEAPF32[(out >> 2) + 1] = measure.fontBoundingBoxDescent;
  },

  host_glyph_advance__deps: ['$glyphs'],
  host_glyph_advance: (number, size, code) => glyphs.prepare(number, size).measureText(String.fromCodePoint(code)).width,

  // Writes x, y (of the top left corner from the pen), width, height as int32 and the coverage of each pixel; 0 when it is blank.
  host_glyph_draw__deps: ['$glyphs'],
  host_glyph_draw: (number, size, code, box, pixels, capacity) => {
    const context = glyphs.prepare(number, size);
    const text = String.fromCodePoint(code);
    const measure = context.measureText(text);
    const left = Math.ceil(measure.actualBoundingBoxLeft) + 1;
    const top = Math.ceil(measure.actualBoundingBoxAscent) + 1;
    const width = Math.min(glyphs.canvas.width, left + Math.ceil(measure.actualBoundingBoxRight) + 1);
    const height = Math.min(glyphs.canvas.height, top + Math.ceil(measure.actualBoundingBoxDescent) + 1);
    if (width <= 2 || height <= 2 || width * height > capacity) return 0;
    context.clearRect(0, 0, width, height);
    context.fillStyle = '#fff';
    context.fillText(text, left, top);
    const { data } = context.getImageData(0, 0, width, height);
    let ink = 0;
    for (let i = 0; i < width * height; i++) ink |= HEAPU8[pixels + i] = data[i * 4 + 3];
    HEAP32[box >> 2] = -left;
    HEAP32[(box >> 2) + 1] = -top;
    HEAP32[(box >> 2) + 2] = width;
    HEAP32[(box >> 2) + 3] = height;
    return ink ? 1 : 0;
  },
});
