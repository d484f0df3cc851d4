// ONNX operators that are not run, each with its reason. A case of any other operator that does not pass is a failure.

/** Types of values that the engine does not have. */
export const absentTypes: Readonly<Record<string, string>> = {
  string: 'texts are not numbers',
  sequence: 'lists of tensors are not a type of the engine',
  optional: 'optional values are not a type of the engine',
  bfloat16: 'of the 16 bit floats the engine has float16 only',
};

export const absentOperators: Readonly<Record<string, string>> = {
  MelWeightMatrix: 'makes filters for audio; not an operator of training',
  NonMaxSuppression: 'chooses boxes after detection; not differentiable, not an operator of training',
  RoiAlign: 'pools regions for detection models',
  ConcatFromSequence: absentTypes.sequence as string,
  SequenceConstruct: absentTypes.sequence as string,
  SequenceEmpty: absentTypes.sequence as string,
  SplitToSequence: absentTypes.sequence as string,
  StringNormalizer: 'texts are not numbers',
  TfIdfVectorizer: 'counts n-grams of texts',
};

/** Operators that need types of inputs which the engine only holds in wider ones. */
export const absentFor: Readonly<Record<string, readonly string[]>> = { BitShift: ['uint16', 'uint32', 'uint64'] };

/** Cases that contradict ONNX's own definition, each with what is wrong. */
export const wrongCases: Readonly<Record<string, string>> = {
  adam_multiple: 'its numbers were made with epsilon = 0.01, which its model leaves out (ONNX: 1e-6 then); all else agrees',
};
