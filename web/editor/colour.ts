// Colours TypeScript text with the token classes that Monaco's own tokenizer gives, so that a cell looks the same
// before Monaco has loaded, without focus, and in the plain text area of a phone. Pure: text in, HTML out.

const KEYWORDS = new Set(
  ('abstract any as asserts bigint boolean break case catch class continue const constructor debugger declare default delete do else enum export extends false finally for from function get if implements import in infer instanceof interface is keyof let module namespace never new null number object out package private protected public override readonly require global return satisfies set static string super switch symbol this throw true try type typeof undefined unique unknown using var void while with yield async await of accessor').split(' '),
);

const TOKEN = new RegExp(
  [
    String.raw`(?<comment>\/\*[\s\S]*?(?:\*\/|$)|\/\/[^\n]*)`,
    String.raw`(?<string>"(?:[^"\\\n]|\\.)*"?|'(?:[^'\\\n]|\\.)*'?)`,
    String.raw`(?<number>0[xX][\da-fA-F_]+n?|0[bB][01_]+n?|0[oO]?[0-7_]+n?(?![\d.])|(?:\d[\d_]*)(?:\.\d[\d_]*)?(?:[eE][-+]?\d+)?n?)`,
    String.raw`(?<type>[A-Z][\w$]*)`,
    String.raw`(?<word>#?[a-z_$][\w$]*)`,
    String.raw`(?<regexp>\/(?=(?:[^\\\/\n]|\\.)+\/[dgimsuvy]*\s*(?:\.|;|,|\)|\]|\}|$))(?:[^\\\/\n]|\\.)+\/[dgimsuvy]*)`,
    String.raw`(?<mark>[{}()[\]<>;,.=!&|+\-*/%^~?:@]+?)`,
  ].join('|'),
  'gmy',
);

const escape = (text: string) => text.replace(/[&<>]/g, (character) => (character === '&' ? '&amp;' : character === '<' ? '&lt;' : '&gt;'));
const span = (kind: string, text: string) => `<span class="tk-${kind}">${escape(text)}</span>`;

/** TypeScript as HTML with `tk-*` spans; line breaks stay as they are. */
export function colour(text: string): string {
  return part(text, 0, false).html;
}

function part(text: string, start: number, inTemplate: boolean): { html: string; end: number } {
  let html = '';
  let position = start;
  let depth = 0;
  while (position < text.length) {
    const character = text[position]!;
    if (inTemplate && character === '}' && depth === 0) break;
    if (character === '{') depth++;
    if (character === '}') depth--;
    if (character === '`') {
      const inside = template(text, position);
      html += inside.html;
      position = inside.end;
      continue;
    }
    TOKEN.lastIndex = position;
    const found = TOKEN.exec(text);
    if (!found) {
      html += escape(character);
      position++;
      continue;
    }
    html += token(found);
    position += found[0].length;
  }
  return { html, end: position };
}

function token(found: RegExpExecArray): string {
  const groups = found.groups!;
  const text = found[0];
  if (groups.comment !== undefined) return span('comment', text);
  if (groups.string !== undefined) return span('string', text);
  if (groups.number !== undefined) return span('number', text);
  if (groups.type !== undefined) return span('type', text);
  if (groups.word !== undefined) return KEYWORDS.has(text) ? span('keyword', text) : escape(text);
  if (groups.regexp !== undefined) return span('string', text);
  return span('mark', text);
}

function template(text: string, start: number): { html: string; end: number } {
  let html = '';
  let position = start + 1;
  let from = start;
  while (position < text.length) {
    if (text[position] === '\\') position += 2;
    else if (text[position] === '`') {
      position++;
      break;
    } else if (text.startsWith('${', position)) {
      html += span('string', text.slice(from, position)) + span('mark', '${');
      const inside = part(text, position + 2, true);
      html += inside.html;
      position = inside.end;
      if (text[position] === '}') {
        html += span('mark', '}');
        position++;
      }
      from = position;
    } else position++;
  }
  position = Math.min(position, text.length);
  if (position > from) html += span('string', text.slice(from, position));
  return { html, end: position };
}
