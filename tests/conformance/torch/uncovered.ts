// Public ops that no sample of PyTorch's replays, each with its reason.

export const withoutCounterpart: Readonly<Record<string, string>> = {
  bernoulli: 'random',
  dropout: 'random',
  dropout2d: 'random',
};
