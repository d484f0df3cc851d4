// Gradbook, written as a learner writes it: layers, a loss, backward(), an optimizer.
import { nn, optim, tensor } from '../../engine/api/index.ts';
import { startNodeEngine } from '../../engine/api/node.ts';
import { batchOf, parametersOf, workloads } from './workloads.mjs';

export async function prepare(name, { threads }) {
  const info = await startNodeEngine({ threads });
  const workload = workloads[name];
  const batch = batchOf(workload);
  const model = {
    linear: () => nn.linear(1, 1),
    mlp: () => nn.sequential(nn.linear(784, 256), nn.relu(), nn.linear(256, 128), nn.relu(), nn.linear(128, 10)),
    lenet: () =>
      nn.sequential(
        nn.conv2d(1, 6, 5), nn.relu(), nn.maxPool2d(2),
        nn.conv2d(6, 16, 5), nn.relu(), nn.maxPool2d(2),
        nn.flatten(), nn.linear(256, 120), nn.relu(), nn.linear(120, 84), nn.relu(), nn.linear(84, 10),
      ),
    cnn: () =>
      nn.sequential(
        nn.conv2d(1, 8, 3, { padding: 1 }), nn.relu(), nn.maxPool2d(2),
        nn.conv2d(8, 16, 3, { padding: 1 }), nn.relu(), nn.maxPool2d(2),
        nn.flatten(), nn.linear(784, 10),
      ),
  }[name.split('-')[0]]();
  const values = parametersOf(name);
  const keys = Object.keys(model.stateDict());
  model.loadStateDict(Object.fromEntries(values.map(({ shape, values }, i) => [keys[i], tensor(values).reshape(shape)])));
  const x = tensor(batch.features).reshape([workload.batch, ...workload.features]);
  const y = name === 'linear' ? tensor(batch.targets).reshape([32, 1]) : tensor(batch.classIds);
  const optimizer = name === 'linear' ? optim.sgd(model.parameters(), { lr: 0.1 }) : optim.adam(model.parameters(), { lr: 1e-3 });
  const lossOf = () => (name === 'linear' ? nn.mse(model(x), y) : nn.crossEntropy(model(x), y));
  let loss;
  return {
    version: `Gradbook ${info.flavour}, ${info.threads} thread${info.threads > 1 ? 's' : ''}`,
    step: () => {
      loss = lossOf();
      optimizer.zeroGrad();
      loss.backward();
      optimizer.step();
    },
    loss: () => loss.item(),
  };
}
