// ONNX optimizers (domain ai.onnx.preview.training): one step of the engine's own optimizers, from the state in the inputs.
// Inputs: learning rate R, step count T, then parameters, gradients and state tensors, each group in the same order.

import { onesLike, zerosLike } from '../../create.ts';
import { type OptimizerState, optim, type Settings } from '../../optim.ts';
import { gradients, type Tensor } from '../../tensor.ts';
import type { NodeCall, Operator, OperatorTable } from '../call.ts';

/** Which of our optimizers, with which settings and which of its states for the state inputs. */
interface Plan {
  readonly optimizer: 'sgd' | 'adam' | 'adagrad';
  readonly settings: Settings;
  readonly slots: readonly string[];
  /** Steps taken before. */
  readonly steps: number;
}

function oneStep(plan: (call: NodeCall, rate: number, steps: number) => Plan): Operator {
  return (call) => {
    const { optimizer: name, settings, slots, steps } = plan(call, call.scalar(0), call.scalar(1));
    const groups = 2 + slots.length;
    const count = (call.inputCount - 2) / groups;
    const group = (i: number): Tensor[] => Array.from({ length: count }, (_, k) => call.input(2 + i * count + k));
    const parameters = group(0).map((x) => x.add(0).detach().requiresGrad_());
    group(1).forEach((grad, i) => {
      (parameters[i] as Tensor).grad = grad;
    });
    const optimizer = optim[name](parameters, settings);
    const states = slots.map((_, i) => group(2 + i));
    const before: OptimizerState = {
      ...optimizer.stateDict(),
      state: parameters.map((_, k) => ({
        step: steps,
        slots: Object.fromEntries(slots.map((slot, i) => [slot, (states[i] as Tensor[])[k] as Tensor])),
      })),
    };
    optimizer.loadStateDict(before);
    optimizer.step();
    const after = optimizer.stateDict().state;
    return [...parameters.map((x) => x.detach()), ...slots.flatMap((slot) => after.map((state) => state.slots[slot]))];
  };
}

/** Momentum and Nesterov are PyTorch's SGD with dampening 1 - beta; the first step does not dampen. */
function momentum(call: NodeCall, rate: number, steps: number): Plan {
  const beta = steps > 0 ? call.number('beta') : 1;
  const settings = {
    lr: rate,
    momentum: call.number('alpha'),
    dampening: 1 - beta,
    weightDecay: call.number('norm_coefficient'),
    nesterov: call.text('mode') === 'nesterov',
  };
  return { optimizer: 'sgd', settings, slots: ['momentumBuffer'], steps: Math.max(1, steps) };
}

function adagrad(call: NodeCall, rate: number, steps: number): Plan {
  const settings = {
    lr: rate,
    lrDecay: call.number('decay_factor', 0),
    weightDecay: call.number('norm_coefficient', 0),
    eps: call.number('epsilon', 1e-6),
  };
  return { optimizer: 'adagrad', settings, slots: ['sum'], steps };
}

/**
 * ONNX: x -= R' m / (sqrt(v) + eps) with R' = R sqrt(1 - beta^T) / (1 - alpha^T), and R' = R at T = 0. PyTorch corrects m and
 * v apart, counts from 1 and adds eps after the correction; with lr and eps scaled by its corrections both are the same.
 */
function adam(call: NodeCall, rate: number, steps: number): Plan {
  const [alpha, beta] = [call.number('alpha', 0.9), call.number('beta', 0.999)];
  if (call.number('norm_coefficient_post', 0) !== 0) call.fail('attribute "norm_coefficient_post" is not supported');
  const wanted = steps > 0 ? (rate * Math.sqrt(1 - beta ** steps)) / (1 - alpha ** steps) : rate;
  const [first, second] = [1 - alpha ** (steps + 1), Math.sqrt(1 - beta ** (steps + 1))];
  const settings = {
    lr: (wanted * first) / second,
    betas: [alpha, beta],
    eps: call.number('epsilon', 1e-6) / second,
    weightDecay: call.number('norm_coefficient', 0),
  };
  return { optimizer: 'adam', settings, slots: ['expAvg', 'expAvgSq'], steps };
}

/** Derivatives of the value that attribute y names with respect to the inputs, which xs names. */
function gradient(call: NodeCall): Tensor[] {
  const y = call.find(call.text('y')) ?? call.fail(`there is no value "${call.text('y')}"`);
  const names = call.texts('xs') ?? call.fail('needs attribute "xs"');
  const targets = names.map((_, i) => call.input(i));
  const found = gradients(y.tensor, targets, { upstream: onesLike(y.tensor), retainGraph: true });
  return found.map((each, i) => each ?? zerosLike(targets[i] as Tensor));
}

export const trainingOperators: OperatorTable = {
  Adagrad: oneStep(adagrad),
  Gradient: gradient,
  Adam: oneStep(adam),
  Momentum: oneStep(momentum),
};
