// Writes small ONNX models: as much of the format as the benchmarks need. A model is a list of nodes over named values.

const utf8 = new TextEncoder();

function varint(value) {
  const bytes = [];
  for (; value > 127; value = Math.floor(value / 128)) bytes.push((value % 128) | 128);
  return [...bytes, value];
}
const join = (parts) => {
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) all.set(part, at), (at += part.length);
  return all;
};
const integer = (field, value) => Uint8Array.from([...varint(field * 8), ...varint(value)]);
const bytes = (field, content) => join([varint(field * 8 + 2), varint(content.length), content]);
const text = (field, value) => bytes(field, utf8.encode(value));
const message = (field, ...parts) => bytes(field, join(parts));

const FLOAT = 1;
const attributeOf = ([name, value]) => {
  const list = Array.isArray(value);
  // type 2: an integer, 7: integers.
  return message(5, text(1, name), ...(list ? value.map((each) => integer(8, each)) : [integer(3, value)]), integer(20, list ? 7 : 2));
};
const nodeOf = ({ op, inputs, output, attributes = {} }) =>
  message(1, ...inputs.map((name) => text(1, name)), text(2, output), text(4, op), ...Object.entries(attributes).map(attributeOf));
const valueOf = (field, name, shape) =>
  message(field, text(1, name), message(2, message(1, integer(1, FLOAT), message(2, ...shape.map((size) => message(1, integer(1, size)))))));
const tensorOf = (name, { shape, values }) =>
  message(5, ...shape.map((size) => integer(1, size)), integer(2, FLOAT), text(8, name), bytes(9, new Uint8Array(values.buffer, values.byteOffset, values.byteLength)));

/** Bytes of a model. `inputs`: name -> shape; `weights`: name -> {shape, values}; the last node gives the result `y`. */
export function onnxModel({ nodes, inputs, weights = {} }) {
  const graph = message(
    7,
    ...nodes.map(nodeOf),
    text(2, 'graph'),
    ...Object.entries(weights).map(([name, tensor]) => tensorOf(name, tensor)),
    ...Object.entries(inputs).map(([name, shape]) => valueOf(11, name, shape)),
    message(12, text(1, 'y')),
  );
  return join([integer(1, 9), graph, message(8, integer(2, 17))]);
}
