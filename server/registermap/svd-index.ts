import { textIn, type XmlElement } from './xml.ts';

/** Elements that another one may derive from. */
const KINDS = new Set(['peripheral', 'cluster', 'register', 'field', 'enumeratedValues']);

/** Characters of a name with its path; a longer one is none that somebody refers to. */
const LONGEST_PATH = 400;

/** Derivations one behind the other; descriptions in use have two. */
const LONGEST_CHAIN = 16;

/**
 * What `derivedFrom` means in a device description: an element by its name, or by its path with dots, in which elements that
 * are nearer come first. An element that derives has what it says itself, and the rest from the other one.
 */
export class SvdIndex {
  /** Kind and path → element; a plain name is the first of its kind with that name. */
  readonly #elements = new Map<string, XmlElement>();
  /** Element → those beside it, by kind and name. */
  readonly #beside = new Map<XmlElement, Map<string, XmlElement>>();

  constructor(root: XmlElement) {
    const todo: { element: XmlElement; path: string }[] = [{ element: root, path: '' }];
    for (let next = todo.pop(); next; next = todo.pop()) {
      const { element, path } = next;
      const names = new Map<string, XmlElement>();
      // Backwards, so that what stands first is taken first.
      for (const child of element.children.toReversed()) {
        const name = KINDS.has(child.name) ? textIn(child, 'name') : undefined;
        if (name !== undefined && name.length < LONGEST_PATH) names.set(`${child.name} ${name}`, child);
        this.#beside.set(child, names);
        const inner = name === undefined ? path : path === '' ? name : `${path}.${name}`;
        todo.push({ element: child, path: inner.length < LONGEST_PATH ? inner : '' });
      }
      if (!KINDS.has(element.name) || path === '') continue;
      for (const key of [path, path.slice(path.lastIndexOf('.') + 1)])
        if (!this.#elements.has(`${element.name} ${key}`))
          this.#elements.set(`${element.name} ${key}`, element);
    }
  }

  #find(from: XmlElement, kind: string, name: string): XmlElement | undefined {
    const beside = this.#beside.get(from)?.get(`${kind} ${name}`);
    return (beside === from ? undefined : beside) ?? this.#elements.get(`${kind} ${name}`);
  }

  /** The element with what it derives from; a sentence where that cannot be found or comes back to itself. */
  whole(element: XmlElement, kind: string): XmlElement | string {
    const chain = [element];
    for (let last = element; ; ) {
      const name = last.attributes.get('derivedFrom');
      if (name === undefined) break;
      const next = this.#find(last, kind, name.trim());
      if (!next) return `it derives from ${name.slice(0, 64)}, which is not there`;
      if (chain.includes(next)) return `it derives from ${name.slice(0, 64)}, which derives from it`;
      if (chain.length >= LONGEST_CHAIN) return `more than ${LONGEST_CHAIN} elements derive from one another`;
      chain.push(next);
      last = next;
    }
    if (chain.length === 1) return element;
    const children: XmlElement[] = [];
    for (const one of chain) {
      const said = new Set(children.map(({ name }) => name));
      children.push(...one.children.filter(({ name }) => !said.has(name)));
    }
    return { ...element, children };
  }
}
