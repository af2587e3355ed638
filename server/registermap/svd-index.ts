import { numberIn } from './numbers.ts';
import { childOf, textIn, type XmlElement } from './xml.ts';

/** Elements that others may derive from. */
const KINDS = new Set(['peripheral', 'cluster', 'register', 'field', 'enumeratedValues']);

/** Maximum characters of a path of names. */
const MAX_PATH_LENGTH = 400;

/** Maximum length of a chain of derivations; real descriptions have two. */
const MAX_CHAIN_LENGTH = 16;

/** Names at the end of a path that identify an element from elsewhere. */
const LAST_NAMES = 3;

/** Children that make an element a list. */
const LIST = new Set(['dim', 'dimIncrement', 'dimIndex', 'dimName', 'dimArrayIndex']);

/** Container elements without names. */
const HOLDERS = new Set(['registers', 'fields']);

/**
 * Resolves `derivedFrom` in a device description. It looks a name up in the surrounding elements, the nearest first,
 * then by its path from the device, then by the end of a unique path. A deriving element keeps its own children and
 * gets the others; names identify registers, fields and values.
 */
export class SvdIndex {
  /** Kind and path → the first such element. */
  readonly #elements = new Map<string, XmlElement>();
  /** Kind and the end of a path → the only such element; null where there are several. */
  readonly #ends = new Map<string, XmlElement | null>();
  /** Element → the path of its container. */
  readonly #scopes = new Map<XmlElement, string>();
  /** Element → its key among its siblings. */
  readonly #keys = new Map<XmlElement, string>();

  constructor(root: XmlElement) {
    const todo: { element: XmlElement; scope: string }[] = [{ element: root, scope: '' }];
    for (let next = todo.pop(); next; next = todo.pop()) {
      const { element, scope } = next;
      const name = KINDS.has(element.name) ? textIn(element, 'name') : undefined;
      const full = name === undefined ? scope : scope === '' ? name : `${scope}.${name}`;
      const path = full.length < MAX_PATH_LENGTH ? full : '';
      if (element.name === 'field') placeByOffset(element);
      this.#scopes.set(element, scope);
      this.#keys.set(element, keyOf(element));
      if (name !== undefined && path !== '') this.#add(element, path);
      // Backwards, so that the first one is visited first.
      for (const child of element.children.toReversed()) todo.push({ element: child, scope: path });
    }
  }

  #add(element: XmlElement, path: string): void {
    const key = `${element.name} ${path}`;
    if (!this.#elements.has(key)) this.#elements.set(key, element);
    const names = path.split('.');
    for (let count = 1; count <= Math.min(LAST_NAMES, names.length); count++) {
      const end = `${element.name} ${names.slice(-count).join('.')}`;
      this.#ends.set(end, this.#ends.has(end) ? null : element);
    }
  }

  /** The element of a name as seen from another element; null where it is ambiguous. */
  #find(from: XmlElement, kind: string, name: string): XmlElement | null | undefined {
    for (let scope = this.#scopes.get(from) ?? ''; ; ) {
      const found = this.#elements.get(`${kind} ${scope === '' ? name : `${scope}.${name}`}`);
      if (found && found !== from) return found;
      if (scope === '') break;
      scope = scope.slice(0, Math.max(scope.lastIndexOf('.'), 0));
    }
    const only = this.#ends.get(`${kind} ${name}`);
    return only === from ? undefined : only;
  }

  /** The element with its derived parts; a sentence where the base is missing or circular. */
  whole(element: XmlElement, kind: string): XmlElement | string {
    const chain = [element];
    for (let last = element; ; ) {
      const attribute = last.attributes.get('derivedFrom');
      if (attribute === undefined) break;
      const next = this.#find(last, kind, attribute.trim());
      const name = attribute.slice(0, 64);
      if (next === null) return `it derives from ${name}, which is ambiguous; write the whole path`;
      if (!next) return `it derives from ${name}, which does not exist`;
      if (chain.includes(next)) return `it derives from ${name}, which derives from it`;
      if (chain.length >= MAX_CHAIN_LENGTH)
        return `more than ${MAX_CHAIN_LENGTH} elements derive from one another`;
      chain.push(next);
      last = next;
    }
    return chain.reduce((own, from) => this.#derived(own, from));
  }

  /**
   * An element with the other children of its base. It is a list if the base is one and its own name has the
   * placeholder.
   */
  #derived(own: XmlElement, from: XmlElement): XmlElement {
    const keys = new Set(own.children.map((child) => this.#keys.get(child) ?? child.name));
    const isList = (textIn(own, 'name') ?? '%s').includes('%s');
    const children = own.children.map((child) => {
      const other = HOLDERS.has(child.name) ? childOf(from, child.name) : undefined;
      return other ? this.#derived(child, other) : child;
    });
    for (const child of from.children)
      if (!keys.has(this.#keys.get(child) ?? child.name) && (isList || !LIST.has(child.name)))
        children.push(child);
    return { ...own, children };
  }
}

/** The key of an element among its siblings. */
function keyOf(element: XmlElement): string {
  if (element.name === 'enumeratedValues')
    return `enumeratedValues ${textIn(element, 'usage') ?? 'read-write'}`;
  const isNamed = KINDS.has(element.name) || element.name === 'enumeratedValue';
  return isNamed ? `${element.name} ${textIn(element, 'name')}` : element.name;
}

/** Normalises a field's bits to offset and width, so that a deriving field may change either. */
function placeByOffset(field: XmlElement): void {
  const [, high, low] = /^\[(\d{1,3}):(\d{1,3})\]$/.exec(textIn(field, 'bitRange') ?? '') ?? [];
  const lsb = numberIn(low ?? textIn(field, 'lsb') ?? '');
  const msb = numberIn(high ?? textIn(field, 'msb') ?? '');
  if (lsb === null || (msb !== null && msb < lsb)) return;
  const number = (name: string, value: number): XmlElement => ({
    ...{ name, attributes: new Map(), children: [], text: String(value), line: field.line },
  });
  field.children = [
    number('bitOffset', lsb),
    ...(msb === null ? [] : [number('bitWidth', msb - lsb + 1)]),
    ...field.children.filter(({ name }) => !['bitRange', 'lsb', 'msb'].includes(name)),
  ];
}
