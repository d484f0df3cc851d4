// The reference of layers, optimizers, datasets and the rest: every exported declaration of engine/api with its documentation.
import { join } from 'node:path';
import ts from 'typescript/lib/typescript.js';

const options = { noEmit: true, allowImportingTsExtensions: true, target: ts.ScriptTarget.ESNext, module: ts.ModuleKind.NodeNext, moduleResolution: ts.ModuleResolutionKind.NodeNext, skipLibCheck: true, strict: true };

/** Pages as [file name, title, what stands there first, the exports of index.ts that it shows]. */
const pages = [
  ['tensors', 'Tensors', 'Making tensors, and what a tensor knows and does beside the [operations](operations.md).', ['arange', 'concat', 'eye', 'full', 'linspace', 'manualSeed', 'ones', 'onesLike', 'rand', 'randint', 'randn', 'randperm', 'stack', 'tensor', 'where', 'zeros', 'zerosLike', 'Tensor', 'noGrad', 'gradients']],
  ['layers', 'Layers and losses', 'What `nn` holds: layers, losses, and what all models have in common.', ['nn']],
  ['training', 'Training', 'Optimizers, schedules, and the loops that use them.', ['optim', 'fit', 'evaluate', 'predict', 'log', 'accuracy', 'metrics', 'detectAnomaly', 'profile']],
  ['data', 'Data and files', 'Datasets, changes of batches, and tensors as bytes.', ['data', 'files']],
];

class Reader {
  constructor(root) {
    this.entry = join(root, 'engine/api/index.ts');
    this.program = ts.createProgram([this.entry], options);
    this.checker = this.program.getTypeChecker();
    this.types = new Map();
  }

  exportsOf(symbol) {
    return this.checker.getExportsOfModule(this.target(symbol));
  }

  target(symbol) {
    return symbol.flags & ts.SymbolFlags.Alias ? this.checker.getAliasedSymbol(symbol) : symbol;
  }

  documentation(symbol) {
    const own = ts.displayPartsToString(symbol.getDocumentationComment(this.checker));
    return own || ts.displayPartsToString(this.target(symbol).getDocumentationComment(this.checker));
  }

  /** The parameters as they are written in the source, on one line. */
  parameters(node) {
    return node.parameters.map((parameter) => parameter.getText().replace(/\s+/g, ' ').replace(/ = \{\}$/, '').replace(/^(\w+): (.*Options)$/, '$1?: $2')).join(', ');
  }

  functionOf(declaration) {
    if (ts.isFunctionDeclaration(declaration) || ts.isMethodDeclaration(declaration) || ts.isMethodSignature(declaration)) return declaration;
    if (ts.isVariableDeclaration(declaration) && declaration.initializer && ts.isArrowFunction(declaration.initializer)) return declaration.initializer;
    return undefined;
  }

  /** Markdown of one name, '' for what needs no entry. */
  entryOf(symbol, prefix, level) {
    const target = this.target(symbol);
    const { name } = symbol;
    const declarations = (target.declarations ?? []).filter((each) => !ts.isSourceFile(each));
    const heading = '#'.repeat(level);
    if (target.flags & ts.SymbolFlags.ValueModule) {
      const members = this.exportsOf(target).map((member) => this.entryOf(member, `${prefix}${name}.`, level + 1)).filter(Boolean);
      return [`${heading} ${prefix}${name}`, this.documentation(symbol), ...members].filter(Boolean).join('\n\n');
    }
    const functions = declarations.map((each) => this.functionOf(each)).filter(Boolean);
    if (functions.length > 0) {
      const forms = functions.length > 1 ? functions.filter((each) => !each.body) : functions;
      for (const form of forms) this.noteTypes(form);
      return [`${heading} ${prefix}${name}`, this.documentation(symbol), `\`\`\`ts\n${forms.map((form) => `${prefix}${name}(${this.parameters(form)})`).join('\n')}\n\`\`\``].join('\n\n');
    }
    if (target.flags & ts.SymbolFlags.Class) return this.classEntry(symbol, prefix, heading);
    if (target.flags & ts.SymbolFlags.Variable && declarations.some(ts.isVariableDeclaration)) return this.tableEntry(symbol, prefix, level);
    return '';
  }

  /** An object whose members are functions: optim, log, nn.init. */
  tableEntry(symbol, prefix, level) {
    const type = this.checker.getTypeOfSymbolAtLocation(this.target(symbol), this.program.getSourceFile(this.entry));
    const calls = type.getCallSignatures();
    const text = [`${'#'.repeat(level)} ${prefix}${symbol.name}`, this.documentation(symbol)];
    for (const call of calls) text.push(ts.displayPartsToString(call.getDocumentationComment(this.checker)), `\`\`\`ts\n${prefix}${symbol.name}${this.checker.signatureToString(call)}\n\`\`\``);
    for (const member of type.getProperties()) {
      const [declaration] = member.declarations ?? [];
      const known = declaration && this.functionOf(declaration);
      if (known) this.noteTypes(known);
      const form = known ? `(${this.parameters(known)})` : ` : ${this.checker.typeToString(this.checker.getTypeOfSymbolAtLocation(member, declaration ?? this.program.getSourceFile(this.entry)))}`;
      const name = `${prefix}${symbol.name}.${member.name}`;
      text.push(`${'#'.repeat(level + 1)} ${name}`, this.documentation(member), `\`\`\`ts\n${name}${form}\n\`\`\``);
    }
    return text.filter(Boolean).join('\n\n');
  }

  classEntry(symbol, prefix, heading) {
    const text = [`${heading} ${prefix}${symbol.name}`, this.documentation(symbol)];
    const rows = [];
    for (const member of this.target(symbol).members?.values() ?? []) {
      const [declaration] = member.declarations ?? [];
      const hidden = !declaration || member.name.startsWith('__') || ts.isConstructorDeclaration(declaration) || declaration.getSourceFile().fileName.includes('generated');
      const doc = this.documentation(member);
      if (hidden || !doc) continue;
      const known = this.functionOf(declaration);
      rows.push(`- \`${member.name}${known ? `(${this.parameters(known)})` : ''}\`: ${doc.replace(/\s*\n\s*/g, ' ')}`);
    }
    return [...text, rows.join('\n')].filter(Boolean).join('\n\n');
  }

  /** Remembers the interfaces of options that a function takes; they are listed at the end of the page. */
  noteTypes(node) {
    for (const parameter of node.parameters) {
      const visit = (part) => {
        if (ts.isTypeReferenceNode(part)) {
          const symbol = this.checker.getSymbolAtLocation(part.typeName);
          const target = symbol && this.target(symbol);
          const declaration = target?.declarations?.find(ts.isInterfaceDeclaration);
          if (declaration && !(target.flags & ts.SymbolFlags.Class) && declaration.getSourceFile().fileName.includes('engine/api/')) this.types.set(target.name, target);
        }
        ts.forEachChild(part, visit);
      };
      if (parameter.type) visit(parameter.type);
    }
  }

  typesSection() {
    const text = [...this.types.values()].map((symbol) => {
      const members = this.checker.getDeclaredTypeOfSymbol(symbol).getProperties();
      const rows = members.map((member) => {
        const [declaration] = member.declarations ?? [];
        const type = declaration?.type?.getText().replace(/\s+/g, ' ') ?? '';
        return `- \`${member.name}${member.flags & ts.SymbolFlags.Optional ? '?' : ''}${type ? `: ${type}` : ''}\`: ${this.documentation(member).replace(/\s*\n\s*/g, ' ') || '-'}`;
      });
      return [`### ${symbol.name}`, this.documentation(symbol), rows.join('\n')].filter(Boolean).join('\n\n');
    });
    this.types.clear();
    return text.length ? ['## Options', ...text] : [];
  }
}

/** [file name, Markdown] of every page. */
export function declarationPages(root) {
  const reader = new Reader(root);
  const all = reader.checker.getExportsOfModule(reader.checker.getSymbolAtLocation(reader.program.getSourceFile(reader.entry)));
  return pages.map(([file, title, words, names]) => {
    const entries = names.map((name) => reader.entryOf(all.find((symbol) => symbol.name === name), '', 2)).filter(Boolean);
    return [file, `${[`# ${title}`, words, ...entries, ...reader.typesSection()].join('\n\n')}\n`];
  });
}
