// warmUp(): small training steps on numbers of no meaning, before anybody wants a real one. A browser compiles each function when
// it is first called, and well only after it was busy for a while; steps that find this done start at full speed.

import { manualSeed, randn, zeros } from './create.ts';
import { engine } from './engine.ts';
import { crossEntropy } from './loss.ts';
import * as nn from './nn.ts';
import { optim } from './optim.ts';
import { capture, releaseStep } from './program.ts';
import type { Tensor } from './tensor.ts';

/** Steps of each kind, as they stand and captured. The browser has its quick code after some ten of them. */
const STEPS = 12;
const EXAMPLES = 16;

/**
 * Runs part after part, each of some milliseconds; leave it between two parts at any time. Nothing stays behind: random numbers and
 * counts are put back. Call it while no cell runs.
 */
export function* warmUp(): Generator<void, void, undefined> {
  const made = quietly(() => {
    manualSeed(0);
    const model = nn.sequential(
      ...[nn.conv2d(1, 6, 5), nn.relu(), nn.maxPool2d(2), nn.conv2d(6, 16, 5), nn.relu(), nn.maxPool2d(2)],
      ...[nn.flatten(), nn.linear(256, 64), nn.relu(), nn.linear(64, 10)],
    );
    const optimizer = optim.adam(model.parameters());
    const step = (): Tensor => {
      const logits = model(x);
      const loss = crossEntropy(logits, y);
      optimizer.zeroGrad();
      loss.backward();
      optimizer.stepQuietly();
      logits.dispose();
      return loss;
    };
    const x = randn(EXAMPLES, 1, 28, 28).keep();
    const y = zeros([EXAMPLES], { dtype: 'int32' }).keep();
    return { model, optimizer, x, y, step, captured: capture(step) };
  });
  try {
    for (let i = 0; i < 2 * STEPS; i++) {
      yield;
      quietly(() => (i < STEPS ? made.step() : made.captured()).dispose());
    }
  } finally {
    releaseStep(made.captured);
    made.optimizer.release();
    for (const tensor of [made.x, made.y, ...made.model.parameters()]) tensor.dispose();
  }
}

/** What the body does to the random numbers and the count of arithmetic is taken back. */
function quietly<Result>(body: () => Result): Result {
  const random = engine().randomState();
  const flops = engine().flops();
  try {
    return body();
  } finally {
    engine().setRandomState(random);
    engine().flops(flops);
  }
}
