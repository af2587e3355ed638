import type { BitField } from '../contract/designs/register-map.ts';
import { descriptionOf, fileProblem, MAX_PLACES, MAX_STEPS, MapDraft, type ReadMap } from './draft.ts';
import { Expressions } from './expression.ts';
import { nameUnread } from './forms.ts';
import { IPXACT_FORMS } from './ipxact-forms.ts';
import { exactly } from './numbers.ts';
import { childOf, childrenOf, parseXml, textIn, type XmlElement, XmlError } from './xml.ts';
import {
  accessIn,
  accessOfAll,
  integerOf,
  isWithinWord,
  nameOf,
  nameValue,
  numberOf,
  resetOf,
  WIDE_FIELD,
  type XmlAccess,
} from './xml-values.ts';

/** Maximum dimensions of a list, each a `dim`. */
const MAX_DIRECTIONS = 8;

/** A block of addresses and its place. */
interface Block {
  element: XmlElement;
  base: number;
  access: XmlAccess;
}

/** The dimensions of an element: the number of places in each, and the distance in the last one. */
interface Places {
  dims: number[];
  stride: number;
}

class IpxactReader {
  readonly #draft = new MapDraft();
  readonly #expressions: Expressions;
  #steps = 0;
  /** Bytes of an address unit. */
  #unit = 1;

  constructor(root: XmlElement) {
    this.#expressions = new Expressions(parametersIn(root));
  }

  component(root: XmlElement): ReadMap {
    const maps = childOf(root, 'memoryMaps') ?? root;
    this.#removeAbsent(maps);
    const all = childrenOf(maps, 'memoryMap');
    const map = all.find(({ children }) => hasRegisters(children));
    for (const other of all)
      if (map && other !== map)
        this.#draft.note(
          other.line,
          nameOf(other),
          'is not read: it is another memory map with separate addresses; put it into a separate file',
        );
    if (!map) this.#draft.say(null, 'it has no registers');
    else {
      nameUnread(this.#draft, map, IPXACT_FORMS);
      const bits = this.#number(map, 'addressUnitBits') ?? 8;
      this.#unit = bits / 8;
      if (bits < 8 || bits % 8 !== 0)
        this.#draft.say(map.line, `addresses count units of ${bits} bits; only whole bytes are read`);
      else this.#blocks(map);
    }
    return this.#draft.finish(textIn(root, 'name') ?? '');
  }

  #number(element: XmlElement, name: string): number | undefined {
    return numberOf(this.#draft, element, name, (text) => this.#expressions.value(text));
  }

  /** Converts address units to bytes. */
  #address(element: XmlElement, name: string): number | undefined {
    const units = this.#number(element, name);
    return units === undefined ? undefined : units * this.#unit;
  }

  /**
   * Removes absent elements (`isPresent` is 0), and elements defined in other files. It warns about the latter, and
   * about unsupported computed values.
   */
  #removeAbsent(maps: XmlElement): void {
    const todo = [{ element: maps, path: '' }];
    for (let next = todo.pop(); next; next = todo.pop()) {
      const { element, path } = next;
      element.children = element.children.filter((child) => {
        const reference = child.children.find(({ name }) => name.endsWith('DefinitionRef'));
        const name = child.name === 'memoryMap' ? '' : (textIn(child, 'name') ?? '');
        const own = [path, name].filter((one) => one !== '').join('.');
        if (reference)
          this.#draft.note(
            reference.line,
            own,
            `is not read: ${reference.name} names a definition in another file; replace the reference with the definition`,
          );
        if (child.attributes.has('dependency'))
          this.#draft.note(
            child.line,
            own,
            `${child.name} is computed by an XPath dependency, which is not evaluated; its default is in the map; check it`,
          );
        const isThere = !reference && this.#number(child, 'isPresent') !== 0;
        if (isThere) todo.push({ element: child, path: own });
        return isThere;
      });
    }
  }

  #blocks(map: XmlElement): void {
    const blocks = map.children
      .flatMap((one) => this.#block(one, undefined, 'rw'))
      .map((block) => ({
        ...block,
        list: this.#list(block.element, this.#address(block.element, 'range') ?? 0),
      }));
    const isOnly = blocks.length === 1 && blocks.every(({ list }) => list.dims.length === 0);
    for (const { element, base, access, list } of blocks) {
      if (!hasRegisters([element]) && textIn(element, 'usage') === 'memory')
        this.#draft.note(
          element.line,
          textIn(element, 'name') ?? '',
          'is not read: it is a memory without registers; use its addresses',
        );
      for (const { index, offset } of this.#places(list)) {
        if (!this.#affords(element)) return;
        const prefix = isOnly ? '' : `${nameOf(element)}${index}_`;
        this.#group(element, base + offset, prefix, access);
      }
    }
    if (this.#draft.size === 0 && this.#draft.problems.length === 0)
      this.#draft.say(null, 'it has no registers');
  }

  /** The blocks of an element; those of a bank follow one another. */
  #block(element: XmlElement, at: number | undefined, inherited: XmlAccess): Block[] {
    const base = at ?? this.#address(element, 'baseAddress') ?? 0;
    const access = this.#access(element) ?? inherited;
    if (element.name === 'addressBlock') return [{ element, base, access }];
    if (element.name !== 'bank') return [];
    if (element.attributes.get('bankAlignment') === 'parallel') {
      this.#draft.note(
        element.line,
        textIn(element, 'name') ?? '',
        'is not read: its blocks share a word; describe them as one block',
      );
      return [];
    }
    let behind = base;
    return element.children.flatMap((child) => {
      const blocks = this.#block(child, behind, access);
      const last = blocks.at(-1);
      if (last) behind = last.base + (this.#address(last.element, 'range') ?? 0);
      return blocks;
    });
  }

  /** The element's own access. Of several policies the one without a mode counts, else the first. */
  #access(element: XmlElement): XmlAccess | undefined {
    const list = childOf(element, 'accessPolicies') ?? childOf(element, 'fieldAccessPolicies');
    if (!list) return accessIn(this.#draft, element);
    const policies = list.children.filter(({ name }) => /^(?:fieldA|a)ccessPolicy$/.test(name));
    if (policies.length > 1)
      this.#draft.note(
        list.line,
        textIn(element, 'name') ?? '',
        'has several access policies for different modes; the map has the one without a mode, else the first; check the others',
      );
    const policy = policies.find((one) => !childOf(one, 'modeRef')) ?? policies[0];
    return policy && accessIn(this.#draft, policy);
  }

  #group(group: XmlElement, base: number, prefix: string, access: XmlAccess): void {
    for (const one of group.children) {
      if (one.name !== 'register' && one.name !== 'registerFile') continue;
      const address = base + (this.#address(one, 'addressOffset') ?? 0);
      const name = `${prefix}${nameOf(one)}`;
      // The next element of a list follows after the size of a register, or after the range of a file.
      const size = one.name === 'register' ? this.#bytes(one) : (this.#address(one, 'range') ?? 0);
      const list = this.#list(one, size);
      const { dims, stride } = list;
      const [count = 1] = dims;
      if (one.name === 'register' && dims.length === 1 && count > 1 && stride === 4 && size <= 4) {
        if (!this.#register(one, name, address, access, count)) return;
        continue;
      }
      for (const { index, offset } of this.#places(list)) {
        if (!this.#affords(one)) return;
        const own = `${name}${index}`;
        if (one.name === 'registerFile')
          this.#group(one, address + offset, `${own}_`, this.#access(one) ?? access);
        else if (!this.#register(one, own, address + offset, access)) return;
      }
    }
  }

  /** Bytes of a register, rounded up to address units. */
  #bytes(register: XmlElement): number {
    return Math.ceil((this.#number(register, 'size') ?? 32) / (8 * this.#unit)) * this.#unit;
  }

  /** Counts the cost of an element; false, with a warning, above the maximum. */
  #affords({ children, line }: XmlElement): boolean {
    this.#steps += 1 + children.length;
    if (this.#steps > MAX_STEPS) this.#draft.say(line, 'its lists have too many elements');
    return this.#steps <= MAX_STEPS;
  }

  #dims(element: XmlElement): number[] {
    const all = childrenOf(childOf(element, 'array') ?? element, 'dim');
    if (all.length > MAX_DIRECTIONS)
      this.#draft.say(element.line, `a list has more than ${MAX_DIRECTIONS} directions`);
    return all.slice(0, MAX_DIRECTIONS).map(({ text, line }) => {
      const dim = exactly(this.#expressions.value(text));
      if (dim !== null && dim >= 1 && dim <= MAX_PLACES) return dim;
      this.#draft.say(line, `dim is not a number from 1 to ${MAX_PLACES}`);
      return 1;
    });
  }

  /** @param size default distance */
  #list(element: XmlElement, size: number): Places {
    const array = childOf(element, 'array');
    return { dims: this.#dims(element), stride: (array && this.#address(array, 'stride')) ?? size };
  }

  /** The places of an element: `[i][j]` and the offset from the first, with the first index outermost. */
  *#places({ dims, stride }: Places): Iterable<{ index: string; offset: number }> {
    const count = dims.reduce((product, dim) => Math.min(product * dim, MAX_STEPS), 1);
    for (let at = 0; at < count; at++) {
      let [rest, index] = [at, ''];
      for (const dim of dims.toReversed()) {
        index = `[${rest % dim}]${index}`;
        rest = Math.floor(rest / dim);
      }
      yield { index, offset: at * stride };
    }
  }

  /** @param array words of an array register */
  #register(element: XmlElement, name: string, address: number, inherited: XmlAccess, array = 1): boolean {
    const { line } = element;
    const size = this.#number(element, 'size') ?? 32;
    const words = Math.max(array, Math.ceil(size / 32));
    if (isWithinWord(this.#draft, { name, line, size, address })) return true;
    const ownAccess = this.#access(element);
    const { fields: read, reset } = this.#fields(element, name, ownAccess ?? inherited, size);
    const all = ownAccess ?? accessOfAll(read.flatMap(({ access }) => access ?? [])) ?? inherited;
    if (all === 'none') {
      this.#draft.note(line, name, NO_ACCESS);
      return true;
    }
    const fields = read.map(({ access, ...field }) =>
      access === all ? field : { ...field, ...(access && { access }) },
    );
    return this.#draft.add(
      {
        name,
        address,
        ...(words > 1 ? { words } : {}),
        ...(size < 32 ? { width: size } : {}),
        access: all,
        ...descriptionOf(textIn(element, 'description') ?? textIn(element, 'shortDescription')),
        ...resetOf(this.#draft, { name, line, size, fields }, this.#reset(element, name) ?? reset),
        fields,
      },
      line,
    );
  }

  /** The fields of a register, with their reset values. */
  #fields(
    register: XmlElement,
    owner: string,
    inherited: XmlAccess,
    size: number,
  ): { fields: BitField[]; reset: { value: bigint; mask: bigint } | undefined } {
    const fields: BitField[] = [];
    let [value, mask] = [0n, 0n];
    for (const field of childrenOf(register, 'field')) {
      if (!this.#affords(field)) break;
      const width = this.#number(field, 'bitWidth') ?? 1;
      const first = this.#number(field, 'bitOffset') ?? 0;
      const access = this.#access(field) ?? inherited;
      const policy = childOf(childOf(field, 'fieldAccessPolicies') ?? field, 'fieldAccessPolicy');
      const isReserved = [field, ...(policy ? [policy] : [])].some((one) => this.#isTrue(one, 'reserved'));
      const reset = this.#reset(childOf(field, 'resets') ?? field, `${owner}.${nameOf(field)}`);
      const values = this.#values(field, `${owner}.${nameOf(field)}`);
      for (const { index, offset } of this.#fieldPlaces(field, width)) {
        if (fields.length > 32 || !this.#affords(field)) break;
        const name = `${nameOf(field)}${index}`;
        const [lsb, msb] = [first + offset, first + offset + width - 1];
        if (reset && msb < 64) {
          const bits = (1n << BigInt(width)) - 1n;
          value |= (reset.value & bits) << BigInt(lsb);
          mask |= (reset.mask & bits) << BigInt(lsb);
        }
        if (isReserved) continue;
        if (size > 32 && msb > 31) this.#draft.note(field.line, `${owner}.${name}`, WIDE_FIELD);
        else if (access === 'none') this.#draft.note(field.line, `${owner}.${name}`, NO_ACCESS);
        else
          fields.push({
            name,
            msb,
            lsb,
            access,
            ...descriptionOf(textIn(field, 'description') ?? textIn(field, 'shortDescription')),
            ...(Object.keys(values).length > 0 ? { values } : {}),
          });
      }
    }
    return { fields, reset: mask === 0n ? undefined : { value, mask } };
  }

  *#fieldPlaces(field: XmlElement, width: number): Iterable<{ index: string; offset: number }> {
    const array = childOf(field, 'array');
    const stride = (array && this.#number(array, 'bitStride')) ?? width;
    for (const { index, offset } of this.#places(this.#list(field, 1)))
      yield { index, offset: offset * stride };
  }

  #isTrue(element: XmlElement, name: string): boolean {
    const text = textIn(element, name);
    return text === 'true' || (text !== undefined && text !== 'false' && this.#number(element, name) !== 0);
  }

  #values(field: XmlElement, owner: string): Record<string, string> {
    const values: Record<string, string> = {};
    for (const one of childrenOf(childOf(field, 'enumeratedValues') ?? field, 'enumeratedValue')) {
      if (!this.#affords(one)) break;
      const value = this.#number(one, 'value');
      const name = nameOf(one, /^\d|\W/);
      const place = { line: one.line, place: owner };
      if (value !== undefined && name) nameValue(this.#draft, values, String(value), name, place);
    }
    return values;
  }

  /** The reset value of an element; of several resets the one without a type, or the hard one. */
  #reset(element: XmlElement, name: string): { value: bigint; mask: bigint } | undefined {
    const resets = childrenOf(element, 'reset');
    if (resets.length > 1)
      this.#draft.note(
        element.line,
        name,
        'has several kinds of reset; the map has the value of the hard reset, else of the first; read the register after any other reset',
      );
    const reset =
      resets.find(({ attributes }) => /^(?:HARD)?$/i.test(attributes.get('resetTypeRef') ?? '')) ?? resets[0];
    if (!reset) return undefined;
    const integer = (inner: string) =>
      integerOf(this.#draft, reset, inner, (text) => this.#expressions.value(text));
    const value = integer('value');
    return value === undefined ? undefined : { value, mask: integer('mask') ?? (1n << 64n) - 1n };
  }
}

const NO_ACCESS = 'is not in the map: it can be neither read nor written; do not use its address';

/** Parameters of a component and of its parts, by id. */
function parametersIn(root: XmlElement): Map<string, string> {
  const found = new Map<string, string>();
  const todo = [root];
  for (let next = todo.pop(); next; next = todo.pop()) {
    const id = next.attributes.get('parameterId');
    if (id !== undefined) found.set(id, textIn(next, 'value') ?? '');
    for (const child of next.children) todo.push(child);
  }
  return found;
}

/** True where one of the elements is a block or contains one. */
function hasRegisters(elements: readonly XmlElement[]): boolean {
  return elements.some(
    ({ name, children }) =>
      name === 'register' ||
      (['addressBlock', 'bank', 'registerFile'].includes(name) && hasRegisters(children)),
  );
}

/**
 * Reads a map from an IP-XACT component: IEEE 1685-2009 (spirit:), 1685-2014 and 1685-2022 (ipxact:), which SystemRDL
 * exporters write too. Warnings name everything that a map can't express.
 */
export function readIpxact(text: string): ReadMap {
  try {
    const root = parseXml(text);
    if (root.name !== 'component')
      return { problems: [fileProblem(root.line, `${root.name} is not an IP-XACT component`)] };
    return new IpxactReader(root).component(root);
  } catch (error) {
    if (error instanceof XmlError) return { problems: [fileProblem(error.line, error.message)] };
    throw error;
  }
}
