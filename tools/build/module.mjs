// Reads a WebAssembly module as far as its functions can be given other numbers: sections, bodies, and every place where a
// function's number stands. What an instruction does is not looked at, only how long it is.

const ID = { custom: 0, import: 2, function: 3, global: 6, export: 7, start: 8, element: 9, code: 10 };

/** An unsigned number as LEB128. */
export function leb(value) {
  const bytes = [];
  do {
    bytes.push(value & 127 | (value > 127 ? 128 : 0));
    value >>>= 7;
  } while (value);
  return bytes;
}

/** A place in the bytes, and what can be read there. */
class Cursor {
  constructor(bytes, at = 0) {
    this.bytes = bytes;
    this.at = at;
  }
  byte() {
    return this.bytes[this.at++];
  }
  number() {
    let value = 0;
    for (let shift = 1; ; shift *= 128) {
      const byte = this.byte();
      value += (byte & 127) * shift;
      if (byte < 128) return value;
    }
  }
  skip(count) {
    this.at += count;
  }
  numbers(count) {
    for (let i = 0; i < count; i++) this.number();
  }
  text() {
    const length = this.number();
    this.skip(length);
    return this.bytes.toString('latin1', this.at - length, this.at);
  }
  /** Alignment, the memory's number when there are several, offset. */
  address() {
    if (this.number() & 64) this.number();
    this.number();
  }
}

/** Immediates after 0xFC, 0xFD and 0xFE, by the instruction's second number. */
function skipPrefixed(c, opcode) {
  const sub = c.number();
  if (opcode === 0xfc) {
    if (sub > 17) throw new Error(`unknown instruction 0xfc ${sub}`);
    if (sub >= 8) c.numbers([2, 1, 2, 1, 2, 1, 2, 1, 1, 1][sub - 8]);
  } else if (opcode === 0xfd) {
    if (sub <= 11 || sub === 92 || sub === 93) c.address();
    else if (sub === 12 || sub === 13) c.skip(16);
    else if (sub >= 21 && sub <= 34) c.skip(1);
    else if (sub >= 84 && sub <= 91) c.address(), c.skip(1);
  } else if (sub === 3) c.skip(1);
  else c.address();
}

/** Goes past one instruction; `found(from, to, number)` hears of a function's number in it. False: it was `end`, of any block. */
function skipInstruction(c, found) {
  const opcode = c.byte();
  const name = () => {
    const from = c.at;
    found(from, c.number(), c.at);
  };
  if (opcode === 0x0b) return false;
  if (opcode === 0x10 || opcode === 0x12 || opcode === 0xd2) name();
  else if (opcode >= 0x28 && opcode <= 0x3e) c.address();
  else if ([0x02, 0x03, 0x04, 0x06, 0x07, 0x08, 0x09, 0x0c, 0x0d, 0x18, 0x3f, 0x40, 0x41, 0x42, 0xd0].includes(opcode)) c.number();
  else if (opcode >= 0x20 && opcode <= 0x26) c.number();
  else if (opcode === 0x0e || opcode === 0x1c) c.numbers(c.number() + (opcode === 0x0e ? 1 : 0));
  else if (opcode === 0x11 || opcode === 0x13) c.numbers(2);
  else if (opcode === 0x43) c.skip(4);
  else if (opcode === 0x44) c.skip(8);
  else if (opcode >= 0xfc && opcode <= 0xfe) skipPrefixed(c, opcode);
  else if (!([0x00, 0x01, 0x05, 0x0f, 0x19, 0x1a, 0x1b, 0xd1].includes(opcode) || (opcode >= 0x45 && opcode <= 0xc4)))
    throw new Error(`unknown instruction 0x${opcode.toString(16)} at ${c.at - 1}`);
  return true;
}

function skipExpression(c, found) {
  while (skipInstruction(c, found));
}

function skipImports(c) {
  let functions = 0;
  for (let left = c.number(); left > 0; left--) {
    c.text();
    c.text();
    const kind = c.byte();
    if (kind === 0) functions++;
    if (kind === 0) c.number();
    else if (kind === 3) c.skip(2);
    else {
      // A table's element type, or a tag's attribute; then limits, or the tag's type.
      if (kind === 1 || kind === 4) c.skip(1);
      if (kind === 4) c.number();
      else c.numbers(c.byte() & 1 ? 2 : 1);
    }
  }
  return functions;
}

function skipElements(c, found) {
  for (let left = c.number(); left > 0; left--) {
    const flags = c.number();
    if ((flags & 3) === 2) c.number();
    if (!(flags & 1)) skipExpression(c, found);
    if (flags & 3) c.skip(1);
    for (let count = c.number(); count > 0; count--) {
      if (flags & 4) {
        skipExpression(c, found);
        continue;
      }
      const from = c.at;
      found(from, c.number(), c.at);
    }
  }
}

function skipExports(c, found) {
  for (let left = c.number(); left > 0; left--) {
    c.text();
    const kind = c.byte();
    const from = c.at;
    const number = c.number();
    if (kind === 0) found(from, number, c.at);
  }
}

/** Bodies with the places of numbers in them. Depth counts blocks: a body ends with the `end` of its own. */
function readBodies(c) {
  return Array.from({ length: c.number() }, () => {
    const length = c.number();
    const from = c.at;
    const to = from + length;
    const uses = [];
    for (let groups = c.number(); groups > 0; groups--) {
      c.number();
      c.skip(1);
    }
    while (c.at < to) skipInstruction(c, (at, number, end) => uses.push({ at, end, number }));
    if (c.at !== to) throw new Error(`a function's instructions do not end where it does, at ${to}`);
    return { from, to, uses };
  });
}

/**
 * The parts of a module: `imports` (how many functions are imported), `types` (each own function's type), `bodies`
 * ({from, to, uses}), `sections` ({id, from, to, uses}). A use is {at, end, number}: a function's number and where it stands.
 */
export function readModule(bytes) {
  const module = { bytes, imports: 0, types: [], bodies: [], sections: [], hasNames: false };
  const c = new Cursor(bytes, 8);
  while (c.at < bytes.length) {
    const id = c.byte();
    const length = c.number();
    const section = { id, from: c.at, to: c.at + length, uses: [] };
    const found = (at, number, end) => section.uses.push({ at, end, number });
    if (id === ID.custom) module.hasNames ||= c.text() === 'name';
    if (id === ID.import) module.imports = skipImports(c);
    if (id === ID.function) module.types = Array.from({ length: c.number() }, () => c.number());
    if (id === ID.global)
      for (let left = c.number(); left > 0; left--) {
        c.skip(2);
        skipExpression(c, found);
      }
    if (id === ID.export) skipExports(c, found);
    if (id === ID.start) found(c.at, c.number(), c.at);
    if (id === ID.element) skipElements(c, found);
    if (id === ID.code) module.bodies = readBodies(c);
    module.sections.push(section);
    c.at = section.to;
  }
  return module;
}

/** The module with its own functions in another order: `order[place]` is the function, counted without imports, that stands there. */
export function reorderFunctions(module, order) {
  const { bytes, imports } = module;
  const place = new Map(order.map((own, at) => [own, at]));
  const renumbered = (number) => leb(number < imports ? number : imports + place.get(number - imports));
  const rewritten = ({ from, to, uses }) => {
    const parts = [];
    let at = from;
    for (const use of uses) {
      parts.push(bytes.subarray(at, use.at), Buffer.from(renumbered(use.number)));
      at = use.end;
    }
    return Buffer.concat([...parts, bytes.subarray(at, to)]);
  };
  const content = (section) => {
    if (section.id === ID.function) return Buffer.from([...leb(order.length), ...order.flatMap((own) => leb(module.types[own]))]);
    if (section.id !== ID.code) return rewritten(section);
    const bodies = order.map((own) => rewritten(module.bodies[own]));
    return Buffer.concat([Buffer.from(leb(order.length)), ...bodies.flatMap((body) => [Buffer.from(leb(body.length)), body])]);
  };
  const parts = module.sections.flatMap((section) => {
    const body = content(section);
    return [Buffer.from([section.id, ...leb(body.length)]), body];
  });
  return Buffer.concat([bytes.subarray(0, 8), ...parts]);
}
