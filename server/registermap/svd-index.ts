import { numberIn } from './numbers.ts';
import { childOf, textIn, type XmlElement } from './xml.ts';

/** Elements that another one may derive from. */
const KINDS = new Set(['peripheral', 'cluster', 'register', 'field', 'enumeratedValues']);

/** Characters of a name with its path; a longer one is none that somebody refers to. */
const MAX_PATH_LENGTH = 400;

/** Derivations one behind the other; descriptions in use have two. */
const MAX_CHAIN_LENGTH = 16;

/** Names at the end of a path by which an element is found from elsewhere. */
const LAST_NAMES = 3;

/** What makes a list of an element. */
const LIST = new Set(['dim', 'dimIncrement', 'dimIndex', 'dimName', 'dimArrayIndex']);

/** Elements that hold others and have no name. */
const HOLDERS = new Set(['registers', 'fields']);

/**
 * What `derivedFrom` means in a device description. A name is looked up among the elements around, the nearest first, then by
 * its path from the device, then by the end of its path where only one element has it. An element that derives has what it
 * says itself, and the rest from the other one: registers, fields and values are told apart by their names.
 */
export class SvdIndex {
  /** Kind and path → the first such element. */
  readonly #elements = new Map<string, XmlElement>();
  /** Kind and the end of a path → the only such element; null where there are several. */
  readonly #ends = new Map<string, XmlElement | null>();
  /** Element → the path of what it is in. */
  readonly #scopes = new Map<XmlElement, string>();
  /** Element → what tells it apart from those beside it. */
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
      // Backwards, so that what stands first is taken first.
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

  /** The element of a name as it is meant at another one; null where several could be meant. */
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

  /** The element with what it derives from; a sentence where that cannot be found or comes back to itself. */
  whole(element: XmlElement, kind: string): XmlElement | string {
    const chain = [element];
    for (let last = element; ; ) {
      const attribute = last.attributes.get('derivedFrom');
      if (attribute === undefined) break;
      const next = this.#find(last, kind, attribute.trim());
      const name = attribute.slice(0, 64);
      if (next === null) return `it derives from ${name}, of which there are several; write the whole path`;
      if (!next) return `it derives from ${name}, which is not there`;
      if (chain.includes(next)) return `it derives from ${name}, which derives from it`;
      if (chain.length >= MAX_CHAIN_LENGTH)
        return `more than ${MAX_CHAIN_LENGTH} elements derive from one another`;
      chain.push(next);
      last = next;
    }
    return chain.reduce((own, from) => this.#derived(own, from));
  }

  /** An element with what another one has beside it. It is a list because the other is where its own name has the place for it. */
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

/** What tells an element apart from those beside it. */
function keyOf(element: XmlElement): string {
  if (element.name === 'enumeratedValues')
    return `enumeratedValues ${textIn(element, 'usage') ?? 'read-write'}`;
  const isNamed = KINDS.has(element.name) || element.name === 'enumeratedValue';
  return isNamed ? `${element.name} ${textIn(element, 'name')}` : element.name;
}

/** Writes the bits of a field in the one way of offset and width, so that what derives from it may change either. */
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
