// A tensor: shape, dtype and range in a line of facts, then its values.
import type { TensorDisplay } from '../../notebook/protocol/messages.ts';
import { formatValue } from '../charts/numbers.ts';
import { h } from '../dom.ts';
import type { View } from './views.ts';

export function tensorView(data: TensorDisplay): View<'tensor'> {
  const element = h('div', { class: 'tensor' });
  const show = (tensor: TensorDisplay) => element.replaceChildren(facts(tensor), h('pre', null, tensor.text));
  show(data);
  return { element, update: show };
}

function facts({ shape, dtype, requiresGrad, range, nonFinite }: TensorDisplay): HTMLElement {
  const size = shape.length ? `[${shape.join(', ')}]` : 'scalar';
  return h('div', { class: 'facts' },
    h('span', null, h('b', null, `Tensor ${size}`), ` ${dtype}`),
    range && shape.length ? h('span', null, `${formatValue(range.min)} to ${formatValue(range.max)}, mean ${formatValue(range.mean)}`) : null,
    requiresGrad ? h('span', null, 'records gradients') : null,
    nonFinite ? h('span', { class: 'trouble' }, `${nonFinite} ${nonFinite === 1 ? 'value is' : 'values are'} not finite`) : null);
}
