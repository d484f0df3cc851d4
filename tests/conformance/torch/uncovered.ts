// Public ops that no sample of PyTorch's replays, each with its reason.

export const withoutCounterpart: Readonly<Record<string, string>> = {
  bernoulli: 'random; its ONNX cases are judged by their share of ones',
  dropout: 'random; its ONNX cases are judged by their mask',
  dropout2d: 'random',
  rand: 'random',
  randint: 'random',
  randn: 'random',
  randperm: 'random',
  step: 'PyTorch has no name for the derivative of relu that is 0 at 0',
  to: 'conversions are the ONNX cases Cast and CastLike',
};
