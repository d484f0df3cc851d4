// Lines and words as SVG, for the few pictures that are no charts over steps.

const SVG = 'http://www.w3.org/2000/svg';

export function makeSvg(width: number, height: number, label: string): SVGSVGElement {
  const svg = document.createElementNS(SVG, 'svg');
  svg.setAttribute('viewBox', `0 0 ${width} ${height}`);
  svg.setAttribute('role', 'img');
  svg.setAttribute('aria-label', label);
  svg.style.maxWidth = `${width}px`;
  svg.style.width = '100%';
  svg.classList.add('figure-svg');
  return svg;
}

export function line(points: readonly (readonly [number, number])[], colour: string, width = 1, dash = ''): SVGElement {
  const path = document.createElementNS(SVG, 'path');
  path.setAttribute('d', points.map(([x, y], i) => `${i ? 'L' : 'M'}${x.toFixed(1)} ${y.toFixed(1)}`).join(''));
  path.setAttribute('fill', 'none');
  path.setAttribute('stroke', colour);
  path.setAttribute('stroke-width', String(width));
  if (dash) path.setAttribute('stroke-dasharray', dash);
  return path;
}

export function area(points: readonly (readonly [number, number])[], fill: string, stroke: string): SVGElement {
  const path = line(points, stroke);
  path.setAttribute('fill', fill);
  return path;
}

export function svgText(x: number, y: number, words: string, colour: string, anchor: 'start' | 'middle' | 'end', size = 12): SVGElement {
  const text = document.createElementNS(SVG, 'text');
  text.setAttribute('x', x.toFixed(1));
  text.setAttribute('y', y.toFixed(1));
  text.setAttribute('fill', colour);
  text.setAttribute('text-anchor', anchor);
  text.setAttribute('font-size', String(size));
  text.textContent = words;
  return text;
}
