// Sentences at the top of the page for what touches all cells: a browser that cannot run them, a kernel that ended or does not answer.
import { effect } from '@preact/signals-core';
import { h } from '../dom.ts';
import { missingFeature } from '../host/features.ts';
import { kernelState } from '../host/kernel.ts';
import { restartKernel } from '../session.ts';
import { icon } from './icons.ts';

export function makeBanner(): HTMLElement {
  const place = h('div', { role: 'status' });
  let shown = '';
  effect(() => {
    const state = kernelState.value;
    const cannot = missingFeature();
    const kind = cannot ? 'cannot' : state?.phase === 'dead' ? 'dead' : state?.canForceStop ? 'silent' : '';
    const words = cannot ?? (kind ? state!.detail : '');
    if (`${kind}${words}` === shown) return;
    shown = `${kind}${words}`;
    place.replaceChildren(...(kind ? [h('div', { class: 'banner', data: { kind: kind === 'silent' ? 'warn' : 'error', banner: kind } },
      icon('warn'), h('p', null, words),
      kind === 'cannot' ? null : h('button', { class: 'button', type: 'button', data: { action: kind === 'silent' ? 'force-stop' : 'restart-banner' }, on: { click: () => void restartKernel() } }, icon('restart'), kind === 'silent' ? 'Force stop' : 'Restart'))] : []));
  });
  return place;
}
