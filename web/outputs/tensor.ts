// A tensor: shape, dtype and range in a line of facts, then its values.
import type { TensorDisplay } from '../../notebook/protocol/messages.ts';
import { formatValue } from '../charts/numbers.ts';
import { h } from '../dom.ts';
import type { View } from './views.ts';

export function tensorView(data: TensorDisplay): View<'tensor'> {
  const element = h('div', { class: 'tensor' });
  let shown = data;
  let folded: HTMLDetailsElement | null = null;
  const draw = () => {
    const parts = [facts(shown), h('pre', null, shown.text)] as const;
    if (folded) folded.replaceChildren(h('summary', null, parts[0]), parts[1]);
    element.replaceChildren(...(folded ? [folded] : parts));
  };
  draw();
  return {
    element,
    update(next) {
      shown = next;
      draw();
    },
    get isFolded() {
      return folded?.open === false;
    },
    fold(isFolded) {
      folded = isFolded ? h('details') : null;
      draw();
    },
  };
}

function facts({ shape, dtype, requiresGrad, range, nonFinite }: TensorDisplay): HTMLElement {
  const size = shape.length ? `[${shape.join(', ')}]` : 'scalar';
  return h('div', { class: 'facts' },
    h('span', null, h('b', null, `Tensor ${size}`), ` ${dtype}`),
    range && shape.length ? h('span', null, `${formatValue(range.min)} to ${formatValue(range.max)}, mean ${formatValue(range.mean)}`) : null,
    requiresGrad ? h('span', null, 'records gradients') : null,
    nonFinite ? h('span', { class: 'trouble' }, `${nonFinite} ${nonFinite === 1 ? 'value is' : 'values are'} not finite`) : null);
}
