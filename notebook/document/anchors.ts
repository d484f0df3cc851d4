// Names for the headings of a page that no script can enter: what a link within the text asks for is looked up here, once.

/** Programs make anchors of headings each in their own way; letters and digits are what all of them keep. */
const bare = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '');

const ENTITY = /&#?\w+;/g;

/** Gives each heading of a page an id, and leads links such as `#Training-loop` to it. `taken` are ids of other elements. */
export function anchored(html: string, taken: Iterable<string>): string {
  const used = new Set(taken);
  const places = new Map<string, string>();
  const named = html.replace(/<(h[1-6])>([\s\S]*?)<\/\1>/g, (whole, tag: string, inner: string) => {
    const words = inner.replace(/<annotation[\s\S]*?<\/annotation>|<[^>]*>/g, '').replace(ENTITY, ' ');
    const slug = words.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '-').replace(/^-|-$/g, '');
    if (slug === '') return whole;
    let id = slug;
    for (let i = 2; used.has(id); i++) id = `${slug}-${i}`;
    used.add(id);
    if (!places.has(bare(words))) places.set(bare(words), id);
    return `<${tag} id="${id}">${inner}</${tag}>`;
  });
  return named.replace(/<a href="#([^"]*)"/g, (whole, wanted: string) => {
    const id = places.get(bare(decoded(wanted.replace(ENTITY, ' '))));
    return id === undefined ? whole : `<a href="#${id}"`;
  });
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
