// Sentences at the top of the page for what touches all cells: a browser that cannot run them, a kernel that ended or does not answer.
import { effect } from '@preact/signals-core';
import { arrival, copyHere, elsewhere, takeOver, type Arrival } from '../documents.ts';
import { h } from '../dom.ts';
import { missingFeature } from '../host/features.ts';
import { kernelState } from '../host/kernel.ts';
import { restartKernel } from '../session.ts';
import { icon } from './icons.ts';

const ELSEWHERE = {
  open: 'This notebook is open in another tab. Here it can be read and run; what is typed there shows up here.',
  taken: 'Another tab has taken this notebook over. Here it can still be read and run; nothing was lost.',
};

export function makeBanner(): HTMLElement {
  const place = h('div', { role: 'status' });
  let shown = '';
  effect(() => {
    const state = kernelState.value;
    const cannot = missingFeature();
    const came = arrival.value;
    const other = elsewhere.value;
    const kind = cannot ? 'cannot' : state?.phase === 'dead' ? 'dead' : state?.canForceStop ? 'silent' : other ? 'elsewhere' : came ? 'came' : '';
    const words = cannot ?? (kind === 'elsewhere' ? ELSEWHERE[other!] : kind === 'came' ? came!.words : kind ? state!.detail : '');
    if (`${kind}${words}` === shown) return;
    shown = `${kind}${words}`;
    if (kind === 'came') return place.replaceChildren(arrivalBanner(came!));
    if (kind === 'elsewhere') return place.replaceChildren(elsewhereBanner(words));
    place.replaceChildren(...(kind ? [h('div', { class: 'banner', data: { kind: kind === 'silent' ? 'warn' : 'error', banner: kind } },
      icon('warn'), h('p', null, words),
      kind === 'cannot' ? null : h('button', { class: 'button', type: 'button', data: { action: kind === 'silent' ? 'force-stop' : 'restart-banner' }, on: { click: () => void restartKernel() } }, icon('restart'), kind === 'silent' ? 'Force stop' : 'Restart'))] : []));
  });
  return place;
}

function elsewhereBanner(words: string): HTMLElement {
  const button = (action: string, label: string, act: () => void) => h('button', { class: 'button', type: 'button', data: { action }, on: { click: act } }, label);
  return h('div', { class: 'banner', data: { kind: 'note', banner: 'elsewhere' } }, icon('tabs'), h('p', null, words),
    button('take-over', 'Edit it here', takeOver), button('copy-here', 'Make a copy', copyHere));
}

function arrivalBanner({ words, kind, action }: Arrival): HTMLElement {
  const close = () => { arrival.value = null; };
  return h('div', { class: 'banner', data: { kind: kind === 'link' ? 'note' : 'warn', banner: 'arrival' } }, icon(kind === 'link' ? 'share' : 'warn'), h('p', null, words),
    action ? h('button', { class: 'button', type: 'button', on: { click: action.run } }, action.words) : null,
    h('button', { class: 'icon-button', type: 'button', 'aria-label': 'Close', on: { click: close } }, icon('cross')));
}
