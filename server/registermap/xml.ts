/** An element, without namespace prefixes. */
export interface XmlElement {
  name: string;
  attributes: ReadonlyMap<string, string>;
  children: XmlElement[];
  /** Its text outside child elements. */
  text: string;
  /** Its first line, counted from 1. */
  line: number;
}

/** The text is not XML, or uses an unsupported part of it. */
export class XmlError extends Error {
  override readonly name = 'XmlError';
  readonly line: number;

  constructor(line: number, message: string) {
    super(message);
    this.line = line;
  }
}

/** Maximum nesting, elements in all, and attributes of one: far above the needs of a register map. */
const DEEPEST = 48;
const MAX_ELEMENTS = 250_000;
const MAX_ATTRIBUTES = 64;

const NAME = /[A-Za-z_:][\w:.-]*/y;
const SPACE = /[ \t\r\n]*/y;
const REFERENCE = /&([^;&<\s]{0,16});?/g;
const PREDEFINED: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };

/**
 * Reads the part of XML that register descriptions use: elements, attributes, text, CDATA, comments. A document type,
 * and with it any entity definition, is refused, so nothing is expanded or fetched. It makes one pass without
 * recursion: the length of the text bounds time and memory.
 * @throws XmlError
 */
export function parseXml(source: string): XmlElement {
  return new Reader(source.replace(/^\uFEFF/, '')).document();
}

class Reader {
  readonly #text: string;
  #at = 0;
  #line = 1;
  /** The end of that line; -1 in the last one. */
  #nextEnd: number;

  constructor(text: string) {
    this.#text = text;
    this.#nextEnd = text.indexOf('\n');
  }

  document(): XmlElement {
    const open: XmlElement[] = [];
    let root: XmlElement | null = null;
    let elements = 0;
    while (this.#at < this.#text.length) {
      const next = this.#text.indexOf('<', this.#at);
      const text = this.#text.slice(this.#at, next < 0 ? undefined : next);
      const holder = open.at(-1);
      if (holder) holder.text += this.#decoded(text);
      else if (text.trim() !== '') this.#fail('there is text outside the root element');
      if (next < 0) break;
      this.#at = next;
      if (this.#passOver('<!--', '-->', 'a comment') !== null) continue;
      if (this.#passOver('<?', '?>', 'an instruction') !== null) continue;
      const data = this.#passOver('<![CDATA[', ']]>', 'CDATA');
      if (data !== null) {
        if (!holder) this.#fail('there is text outside the root element');
        holder.text += data;
        continue;
      }
      if (this.#text.startsWith('<!', this.#at))
        this.#fail('document types and their entities are not read; remove <!DOCTYPE …>');
      if (this.#text[this.#at + 1] === '/') {
        this.#closeTag(open);
        continue;
      }
      if (root && !holder) this.#fail('there is a second root element');
      if (++elements > MAX_ELEMENTS) this.#fail(`there are more than ${MAX_ELEMENTS} elements`);
      const { element, closed } = this.#openTag();
      holder?.children.push(element);
      root ??= element;
      if (!closed) open.push(element);
      if (open.length > DEEPEST) this.#fail(`elements are nested more than ${DEEPEST} deep`);
    }
    const left = open.at(-1);
    if (left) this.#fail(`the element ${left.name} from line ${left.line} is not closed`);
    if (!root) this.#fail('there is no element');
    return root;
  }

  #fail(message: string): never {
    throw new XmlError(this.#lineNow(), message);
  }

  #lineNow(): number {
    while (this.#nextEnd >= 0 && this.#nextEnd < this.#at) {
      this.#line++;
      this.#nextEnd = this.#text.indexOf('\n', this.#nextEnd + 1);
    }
    return this.#line;
  }

  /** The text between two marks, if the first stands here; else null. */
  #passOver(begin: string, end: string, what: string): string | null {
    if (!this.#text.startsWith(begin, this.#at)) return null;
    const from = this.#at + begin.length;
    const to = this.#text.indexOf(end, from);
    if (to < 0) this.#fail(`${what} is not closed`);
    this.#at = to + end.length;
    return this.#text.slice(from, to);
  }

  #match(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0] ?? '';
    this.#at += found.length;
    return found;
  }

  #closeTag(open: XmlElement[]): void {
    this.#at += 2;
    const name = local(this.#match(NAME));
    this.#match(SPACE);
    const element = open.pop();
    if (element?.name !== name || this.#text[this.#at] !== '>')
      this.#fail(
        `</${name}> stands where ${element ? `</${element.name}> is expected` : 'no element is open'}`,
      );
    this.#at++;
  }

  #openTag(): { element: XmlElement; closed: boolean } {
    const line = this.#lineNow();
    this.#at++;
    const name = local(this.#match(NAME));
    if (name === '') this.#fail('a < does not begin an element; in text, write &lt;');
    const attributes = new Map<string, string>();
    for (;;) {
      this.#match(SPACE);
      if (this.#text.startsWith('/>', this.#at) || this.#text[this.#at] === '>') break;
      const key = this.#match(NAME);
      this.#match(SPACE);
      const equals = this.#text[this.#at] === '=';
      this.#at++;
      this.#match(SPACE);
      const quote = this.#text[this.#at] ?? '';
      const end = /["']/.test(quote) ? this.#text.indexOf(quote, this.#at + 1) : -1;
      if (key === '' || !equals || end < 0) this.#fail(`the element ${name} is not well-formed`);
      attributes.set(local(key), this.#decoded(this.#text.slice(this.#at + 1, end)));
      if (attributes.size > MAX_ATTRIBUTES)
        this.#fail(`an element has more than ${MAX_ATTRIBUTES} attributes`);
      this.#at = end + 1;
    }
    const closed = this.#text[this.#at] === '/';
    this.#at += closed ? 2 : 1;
    return { element: { name, attributes, children: [], text: '', line }, closed };
  }

  /** Resolves references in text: XML's own entities, and character numbers. */
  #decoded(text: string): string {
    if (!text.includes('&')) return text;
    return text.replace(REFERENCE, (reference, name: string) => {
      const known = Object.hasOwn(PREDEFINED, name) ? PREDEFINED[name] : undefined;
      const [, hex, decimal] = /^#(?:x([0-9a-f]{1,6})|(\d{1,7}))$/i.exec(name) ?? [];
      const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
      if (reference.endsWith(';')) {
        if (known !== undefined) return known;
        if (code > 0 && code <= 0x10_ffff) return String.fromCodePoint(code);
      }
      return this.#fail(`${reference} is not a supported reference`);
    });
  }
}

const local = (name: string): string => name.slice(name.lastIndexOf(':') + 1);

/** The child elements of a name. */
export const childrenOf = ({ children }: XmlElement, name: string): XmlElement[] =>
  children.filter((one) => one.name === name);

export const childOf = ({ children }: XmlElement, name: string): XmlElement | undefined =>
  children.find((one) => one.name === name);

/** The text of a child element; undefined where there is none. */
export const textIn = (element: XmlElement, name: string): string | undefined =>
  childOf(element, name)?.text.trim();

const ESCAPED: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
};

/** Characters that XML 1.0 excludes: controls, lone surrogates, and two non-characters. */
const NO_CHARACTER =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what XML 1.0 does not have
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|\p{Surrogate}/gu;

/** Escapes text for XML and omits excluded characters. */
const xmlText = (text: string): string =>
  text.replace(NO_CHARACTER, '').replace(/[&<>"']/g, (character) => ESCAPED[character] ?? '');

/** An element to write, with its text or its children; null is left out. */
export type XmlNode = readonly [name: string, content: string | number | readonly (XmlNode | null)[]];

/** Elements as text, indented by two. */
export function xmlLines([name, content]: XmlNode, indent = ''): string[] {
  if (typeof content !== 'object')
    return [`${indent}<${name}>${xmlText(String(content))}</${name.split(' ')[0]}>`];
  return [
    `${indent}<${name}>`,
    ...content.flatMap((one) => (one === null ? [] : xmlLines(one, `${indent}  `))),
    `${indent}</${name.split(' ')[0]}>`,
  ];
}
