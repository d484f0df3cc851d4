// Sentences at the top of the page for what touches all cells: a browser that cannot run them, a kernel that ended or does not answer.
import { effect } from '@preact/signals-core';
import { arrival, type Arrival } from '../documents.ts';
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
    const came = arrival.value;
    const kind = cannot ? 'cannot' : state?.phase === 'dead' ? 'dead' : state?.canForceStop ? 'silent' : came ? 'came' : '';
    const words = cannot ?? (kind === 'came' ? came!.words : kind ? state!.detail : '');
    if (`${kind}${words}` === shown) return;
    shown = `${kind}${words}`;
    if (kind === 'came') return place.replaceChildren(arrivalBanner(came!));
    place.replaceChildren(...(kind ? [h('div', { class: 'banner', data: { kind: kind === 'silent' ? 'warn' : 'error', banner: kind } },
      icon('warn'), h('p', null, words),
      kind === 'cannot' ? null : h('button', { class: 'button', type: 'button', data: { action: kind === 'silent' ? 'force-stop' : 'restart-banner' }, on: { click: () => void restartKernel() } }, icon('restart'), kind === 'silent' ? 'Force stop' : 'Restart'))] : []));
  });
  return place;
}

function arrivalBanner({ words, kind, action }: Arrival): HTMLElement {
  const close = () => { arrival.value = null; };
  return h('div', { class: 'banner', data: { kind: kind === 'link' ? 'note' : 'warn', banner: 'arrival' } }, icon(kind === 'link' ? 'share' : 'warn'), h('p', null, words),
    action ? h('button', { class: 'button', type: 'button', on: { click: action.run } }, action.words) : null,
    h('button', { class: 'icon-button', type: 'button', 'aria-label': 'Close', on: { click: close } }, icon('cross')));
}
