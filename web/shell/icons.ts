// The icons of the page: 16 px strokes, drawn here so that they share one hand.

const PATHS = {
  run: '<path d="M5 3.2v9.6l7.6-4.8z" fill="currentColor" stroke="none"/>',
  runAll: '<path d="M2.5 3.5v9l5.5-4.5z" fill="currentColor" stroke="none"/><path d="M8.2 3.5v9l5.5-4.5z" fill="currentColor" stroke="none"/>',
  stop: '<rect x="3.8" y="3.8" width="8.4" height="8.4" rx="1.2" fill="currentColor" stroke="none"/>',
  restart: '<path d="M13 8a5 5 0 1 1-1.6-3.7"/><path d="M13.2 2.4v2.9h-2.9"/>',
  check: '<path d="M3.5 8.5l3 3 6-6.5"/>',
  cross: '<path d="M4.2 4.2l7.6 7.6M11.8 4.2l-7.6 7.6"/>',
  clock: '<circle cx="8" cy="8" r="5.6"/><path d="M8 4.9V8l2.1 1.5"/>',
  dots: '<circle cx="3.4" cy="8" r="1.1" fill="currentColor" stroke="none"/><circle cx="8" cy="8" r="1.1" fill="currentColor" stroke="none"/><circle cx="12.6" cy="8" r="1.1" fill="currentColor" stroke="none"/>',
  curves: '<path d="M2.4 2.6v10.8h11.2"/><path d="M4.6 5c1 4.6 3.4 6 8.6 6.2M4.6 8.4c1.6 1.9 4 3 8.6 .6"/>',
  pulse: '<path d="M1.8 8.4h2.6l1.8-4.6 3 8.4 1.9-3.8h3.1"/>',
  warn: '<path d="M8 2.6l6 10.6H2z"/><path d="M8 6.6v3.2M8 11.6v.1"/>',
  plus: '<path d="M8 3.2v9.6M3.2 8h9.6"/>',
  up: '<path d="M8 12.8V3.4M4 7.2l4-4 4 4"/>',
  down: '<path d="M8 3.2v9.4M4 8.8l4 4 4-4"/>',
  bin: '<path d="M3 4.4h10M6.4 4.2V2.8h3.2v1.4M4.4 4.6l.6 8.6h6l.6-8.6M6.8 7v3.8M9.2 7v3.8"/>',
  text: '<path d="M3.2 4h9.6M3.2 8h9.6M3.2 12h5.6"/>',
  code: '<path d="M5.6 4.2L2 8l3.6 3.8M10.4 4.2L14 8l-3.6 3.8"/>',
  sun: '<circle cx="8" cy="8" r="2.9"/><path d="M8 1.6v1.2M8 13.2v1.2M1.6 8h1.2M13.2 8h1.2M3.5 3.5l.8.8M11.7 11.7l.8.8M12.5 3.5l-.8.8M4.3 11.7l-.8.8"/>',
  moon: '<path d="M13 9.6A5.6 5.6 0 0 1 6.4 3 5.6 5.6 0 1 0 13 9.6z"/>',
  book: '<path d="M8 3.9C6.6 3 4.7 2.8 2.4 3v9.4c2.3-.2 4.2 0 5.6.9 1.4-.9 3.3-1.1 5.6-.9V3C11.3 2.8 9.4 3 8 3.9zM8 3.9v9.4"/>',
  list: '<path d="M5.6 4h7.6M5.6 8h7.6M5.6 12h7.6"/><path d="M2.6 4h.2M2.6 8h.2M2.6 12h.2"/>',
  menu: '<path d="M2.6 4.4h10.8M2.6 8h10.8M2.6 11.6h10.8"/>',
  help: '<circle cx="8" cy="8" r="5.8"/><path d="M6.3 6.5c0-1 .8-1.6 1.7-1.6s1.7.6 1.7 1.5c0 1.2-1.7 1.4-1.7 2.5M8 11v.1"/>',
  pencil: '<path d="M3 13l.7-2.9 6.8-6.8a1.2 1.2 0 0 1 1.7 0l.5.5a1.2 1.2 0 0 1 0 1.7l-6.8 6.8z"/>',
  chip: '<rect x="4.4" y="4.4" width="7.2" height="7.2" rx="1.2"/><path d="M6.4 4.2V2.2M9.6 4.2V2.2M6.4 13.8v-2M9.6 13.8v-2M4.2 6.4h-2M4.2 9.6h-2M13.8 6.4h-2M13.8 9.6h-2"/>',
  chevron: '<path d="M6 3.8L10.2 8 6 12.2"/>',
  inspector: '<rect x="2.4" y="2.6" width="4.4" height="3.4" rx=".8"/><rect x="9.2" y="2.6" width="4.4" height="3.4" rx=".8"/><rect x="5.8" y="10" width="4.4" height="3.4" rx=".8"/><path d="M4.6 6.2v1.2a.8.8 0 0 0 .8.8h5.2a.8.8 0 0 0 .8-.8V6.2M8 8.2v1.6"/>',
  grip: '<path d="M6 3.6v.1M6 8v.1M6 12.4v.1M10 3.6v.1M10 8v.1M10 12.4v.1" stroke-width="2.2"/>',
  share: '<path d="M8 9.6V2.4M5 5.2l3-3 3 3"/><path d="M4.4 7.4H3.2v6h9.6v-6h-1.2"/>',
  file: '<path d="M4 2.4h5l3 3v8.2H4z"/><path d="M9 2.6v3h3"/>',
  eye: '<path d="M1.8 8s2.2-4.2 6.2-4.2S14.2 8 14.2 8 12 12.2 8 12.2 1.8 8 1.8 8z"/><circle cx="8" cy="8" r="2"/>',
  find: '<circle cx="7" cy="7" r="4.2"/><path d="M10.2 10.2l3.2 3.2"/>',
  tabs: '<path d="M2.6 5.2h8v8.2h-8z"/><path d="M5.4 5V2.6h8v8.2h-2.6"/>',
  undo: '<path d="M5.6 3.4L2.8 6.2 5.6 9"/><path d="M3 6.2h6.2a3.6 3.6 0 0 1 0 7.2H6.6"/>',
} as const;

export type IconName = keyof typeof PATHS;

/** An icon for the eye only: give its button a name. */
export function icon(name: IconName): SVGSVGElement {
  let made = drawn.get(name);
  if (!made) drawn.set(name, (made = draw(name)));
  return made.cloneNode(true) as SVGSVGElement;
}

/** Reading SVG costs more than copying it, and a long notebook has hundreds. */
const drawn = new Map<IconName, SVGSVGElement>();

function draw(name: IconName): SVGSVGElement {
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  svg.setAttribute('class', 'icon');
  svg.setAttribute('viewBox', '0 0 16 16');
  svg.setAttribute('aria-hidden', 'true');
  svg.dataset.icon = name;
  svg.innerHTML = PATHS[name];
  return svg;
}
