import type { BitField, Register } from '../contract/designs/register-map.ts';
import { descriptionOf, fileProblem, MAX_PLACES, MAX_STEPS, MapDraft, type ReadMap } from './draft.ts';
import { nameUnread } from './forms.ts';
import { exactly, integerIn } from './numbers.ts';
import { SVD_FORMS } from './svd-forms.ts';
import { SvdIndex } from './svd-index.ts';
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
} from './xml-values.ts';

type Access = Register['access'];

/** Properties that an element inherits unless it sets them. */
interface Inherited {
  size: number;
  access: Access | undefined;
  reset: bigint | undefined;
  mask: bigint;
}

/** The context of a register. */
interface Around {
  base: number;
  /** Names of the surrounding elements, before its name. */
  prefix: string;
  /** The peripheral's prefix and suffix of register names. */
  prepend: string;
  append: string;
  /** A surrounding element is another view of a place. */
  isView: boolean;
  inherited: Inherited;
}

const ALL_BITS = (1n << 64n) - 1n;

/** Maximum values expanded from don't-care bits. */
const MAX_CARELESS = 64;

/** The name of a list place: `%s` is the index, `[%s]` the index in brackets. */
const named = (name: string, index: string): string => name.replace('%s', index);

/** Indices of `dimIndex`: `3-6`, `A-D`, `A,B,C`; null where their number differs from the places. */
function indicesIn(text: string, dim: number): string[] | null {
  const [, first = '', last = ''] = /^(\d{1,9}|[A-Za-z])\s*-\s*(\d{1,9}|[A-Za-z])$/.exec(text) ?? [];
  const codeOf = (end: string) => (/^\d/.test(end) ? Number(end) : end.charCodeAt(0));
  if (first !== '') {
    const isNumber = /^\d/.test(first);
    if (isNumber !== /^\d/.test(last) || codeOf(last) - codeOf(first) + 1 !== dim) return null;
    return Array.from({ length: dim }, (_, at) =>
      isNumber ? String(codeOf(first) + at) : String.fromCharCode(codeOf(first) + at),
    );
  }
  const names = text.split(',').map((one) => one.trim());
  return names.length === dim ? names : null;
}

class SvdReader {
  readonly #draft = new MapDraft();
  readonly #index: SvdIndex;
  #steps = 0;
  /** Bytes of an address unit. */
  #unit = 1;

  constructor(root: XmlElement) {
    nameUnread(this.#draft, root, SVD_FORMS);
    this.#index = new SvdIndex(root);
  }

  device(root: XmlElement): ReadMap {
    const bits = numberOf(this.#draft, root, 'addressUnitBits') ?? 8;
    this.#unit = bits / 8;
    if (bits < 8 || bits % 8 !== 0)
      this.#draft.say(root.line, `addresses count units of ${bits} bits; only whole bytes are read`);
    const inherited = this.#inherit(root, {
      ...{ size: 32, access: undefined, reset: undefined, mask: ALL_BITS },
    });
    const peripherals = childrenOf(childOf(root, 'peripherals') ?? root, 'peripheral').flatMap((one) => {
      const whole = this.#whole(one, 'peripheral');
      return whole ? this.#places(whole).map((place) => ({ whole, ...place })) : [];
    });
    for (const { whole, index, offset } of peripherals) {
      if (!this.#affords(whole)) break;
      const prefix = peripherals.length > 1 ? `${named(nameOf(whole), index)}_` : '';
      const prepend = textIn(whole, 'prependToName') ?? '';
      this.#group(childOf(whole, 'registers') ?? whole, {
        base: this.#address(whole, 'baseAddress') + offset * this.#unit,
        // Many vendors put the peripheral's name into both.
        prefix: prepend.startsWith(prefix) ? '' : prefix,
        prepend,
        append: textIn(whole, 'appendToName') ?? '',
        isView: childOf(whole, 'alternatePeripheral') !== undefined,
        inherited: this.#inherit(whole, inherited),
      });
    }
    if (this.#draft.size === 0 && this.#draft.problems.length === 0)
      this.#draft.say(null, 'it has no registers');
    const [first] = peripherals;
    return this.#draft.finish(textIn(root, 'name') ?? (first ? named(nameOf(first.whole), first.index) : ''));
  }

  #inherit(element: XmlElement, from: Inherited): Inherited {
    const access = accessIn(this.#draft, element);
    return {
      size: numberOf(this.#draft, element, 'size') ?? from.size,
      access: access === 'none' ? from.access : (access ?? from.access),
      reset: integerOf(this.#draft, element, 'resetValue') ?? from.reset,
      mask: integerOf(this.#draft, element, 'resetMask') ?? from.mask,
    };
  }

  /** Converts address units to bytes. */
  #address(element: XmlElement, name: string): number {
    return (numberOf(this.#draft, element, name) ?? 0) * this.#unit;
  }

  /** The element with its derived parts; null, with a warning, where that fails. */
  #whole(element: XmlElement, kind: string): XmlElement | null {
    const whole = this.#index.whole(element, kind);
    if (typeof whole === 'string') this.#draft.say(element.line, whole);
    else if (this.#affords(whole)) return whole;
    return null;
  }

  /** Counts the cost of an element; false, with a warning, above the maximum. */
  #affords({ children, line }: XmlElement): boolean {
    this.#steps += 1 + children.length;
    if (this.#steps > MAX_STEPS) this.#draft.say(line, 'its lists and derivations have too many elements');
    return this.#steps <= MAX_STEPS;
  }

  /** The places of a list: the text for %s, and the offset from the first. */
  #places(element: XmlElement): { index: string; offset: number }[] {
    const name = textIn(element, 'name') ?? '';
    const dim = numberOf(this.#draft, element, 'dim');
    if (dim === undefined) {
      if (name.includes('%s'))
        this.#draft.say(element.line, `${name.slice(0, 64)} has a placeholder for an index but no dim`);
      return [{ index: '', offset: 0 }];
    }
    const increment = numberOf(this.#draft, element, 'dimIncrement');
    const given = textIn(element, 'dimIndex');
    if (dim > MAX_PLACES) this.#draft.say(element.line, `dim is ${dim}; the maximum is ${MAX_PLACES}`);
    else if (increment === undefined && dim > 1) this.#draft.say(element.line, 'dimIncrement is missing');
    else if (dim > 1 && !name.includes('%s'))
      this.#draft.say(element.line, `${name.slice(0, 64)} is a list without %s or [%s] in its name`);
    else {
      const indices =
        given === undefined ? Array.from({ length: dim }, (_, at) => String(at)) : indicesIn(given, dim);
      if (indices) return indices.map((index, at) => ({ index, offset: at * (increment ?? 0) }));
      this.#draft.say(
        element.line,
        `dimIndex “${given?.slice(0, 40)}” does not have the ${dim} indices of dim`,
      );
    }
    return [];
  }

  #group(group: XmlElement, around: Around): void {
    for (const one of group.children) {
      if (one.name !== 'register' && one.name !== 'cluster') continue;
      const whole = this.#whole(one, one.name);
      if (!whole) return;
      const from = { ...around, ...{ inherited: this.#inherit(whole, around.inherited) } };
      from.base += this.#address(whole, 'addressOffset');
      from.isView ||=
        (childOf(whole, 'alternateRegister') ??
          childOf(whole, 'alternateGroup') ??
          childOf(whole, 'alternateCluster')) !== undefined;
      const words = one.name === 'register' ? this.#array(whole, from.inherited.size) : null;
      if (words !== null) {
        if (!this.#register(whole, nameOf(whole).replace('[%s]', ''), from, words)) return;
        continue;
      }
      for (const { index, offset } of this.#places(whole)) {
        const name = named(nameOf(whole), index);
        const at = { ...from, base: from.base + offset * this.#unit };
        if (one.name === 'cluster') {
          if (!this.#affords(whole)) return;
          this.#group(whole, { ...at, prefix: `${around.prefix}${name}_` });
        } else if (!this.#register(whole, name, at)) return;
      }
    }
  }

  /** The number of words of an array of consecutive words; null for any other register. */
  #array(element: XmlElement, size: number): number | null {
    const dim = numberOf(this.#draft, element, 'dim');
    const isArray = (textIn(element, 'name') ?? '').endsWith('[%s]') && !childOf(element, 'dimIndex');
    return isArray && dim && dim > 1 && size <= 32 && this.#address(element, 'dimIncrement') === 4
      ? dim
      : null;
  }

  #register(
    element: XmlElement,
    own: string,
    { base, prefix, prepend, append, isView, inherited: { size, access, reset, mask } }: Around,
    words = Math.ceil(size / 32),
  ): boolean {
    const suffix = `_${textIn(element, 'alternateGroup') ?? ''}`;
    const group = suffix === '_' || own.endsWith(suffix) ? '' : suffix;
    const name = `${prefix}${prepend}${own}${group}${append}`;
    const { line } = element;
    if (isWithinWord(this.#draft, { name, line, size, address: base })) return true;
    const read = this.#fields(element, name, access, size);
    const all = access ?? accessOfAll(read.map((field) => field.access ?? 'rw')) ?? 'rw';
    const fields = read.map(({ access: of, ...field }) =>
      of && of !== all ? { ...field, access: of } : field,
    );
    // An inherited value may have bits that this register lacks.
    const value =
      reset !== undefined && !childOf(element, 'resetValue')
        ? BigInt.asUintN(Math.min(size, 64), reset)
        : reset;
    return this.#draft.add(
      {
        name,
        address: base,
        ...(words > 1 ? { words } : {}),
        ...(size < 32 ? { width: size } : {}),
        access: all,
        ...descriptionOf(textIn(element, 'description')),
        ...resetOf(
          this.#draft,
          { name, line, size, fields },
          value === undefined ? undefined : { value, mask },
        ),
        fields,
      },
      line,
      isView,
    );
  }

  #fields(register: XmlElement, owner: string, inherited: Access | undefined, size: number): BitField[] {
    const fields: BitField[] = [];
    for (const one of childrenOf(childOf(register, 'fields') ?? register, 'field')) {
      const whole = this.#whole(one, 'field');
      if (!whole) break;
      const own = accessIn(this.#draft, whole) ?? inherited;
      for (const { index, offset } of this.#places(whole)) {
        const name = named(textIn(whole, 'name') ?? '', index);
        const first = numberOf(this.#draft, whole, 'bitOffset');
        const width = numberOf(this.#draft, whole, 'bitWidth') ?? 1;
        if (first === undefined || width < 1) {
          this.#draft.say(whole.line, 'the field does not give its bits');
          break;
        }
        const [lsb, msb] = [first + offset, first + offset + width - 1];
        if (size > 32 && msb > 31) {
          this.#draft.note(whole.line, `${owner}.${name}`, WIDE_FIELD);
          continue;
        }
        const values = this.#values(whole, `${owner}.${name}`);
        fields.push({
          name,
          msb,
          lsb,
          ...(own && own !== 'none' ? { access: own } : {}),
          ...descriptionOf(textIn(whole, 'description')),
          ...(Object.keys(values).length > 0 ? { values } : {}),
        });
        if (fields.length > 32) return fields;
      }
    }
    return fields;
  }

  #values(field: XmlElement, owner: string): Record<string, string> {
    const values: Record<string, string> = {};
    for (const one of childrenOf(field, 'enumeratedValues')) {
      const whole = this.#whole(one, 'enumeratedValues');
      for (const value of whole ? childrenOf(whole, 'enumeratedValue') : []) {
        if (!this.#affords(value)) return values;
        const text = textIn(value, 'value');
        if (text === undefined) continue;
        const name = textIn(value, 'name') ?? '';
        const place = { line: value.line, place: owner };
        const numbers = name === '' ? [] : numbersIn(text);
        if (numbers === null) this.#draft.say(value.line, `the value “${text.slice(0, 40)}” is not a number`);
        else if (numbers.length === 0)
          this.#draft.note(
            value.line,
            owner,
            name === ''
              ? 'a value without a name is not read; it stays a number'
              : `a value whose don’t-care bits stand for more than ${MAX_CARELESS} numbers is not read; they stay numbers`,
          );
        else for (const number of numbers) nameValue(this.#draft, values, String(number), name, place);
      }
    }
    return values;
  }
}

/** The numbers of an SVD value, where `x` is a don't-care bit; none where they are too many, null for no number. */
function numbersIn(text: string): number[] | null {
  const [, bits] = /^(?:#|0b)([01x]{1,64})$/i.exec(text.trim()) ?? [];
  const careless = bits ? bits.replace(/[01]/g, '').length : 0;
  if (bits === undefined || careless === 0) {
    const number = exactly(integerIn(text));
    return number === null ? null : [number];
  }
  if (2 ** careless > MAX_CARELESS) return [];
  return Array.from({ length: 2 ** careless }, (_, at) => {
    let rest = at;
    const plain = [...bits].reverse().map((bit) => {
      if (!/x/i.test(bit)) return bit;
      const own = rest % 2;
      rest = Math.floor(rest / 2);
      return String(own);
    });
    return Number(BigInt(`0b${plain.reverse().join('')}`));
  });
}

/**
 * Reads a map from a CMSIS-SVD 1.3 device description (Arm, Open-CMSIS-SVD). Warnings name everything that a map can't
 * express.
 */
export function readSvd(text: string): ReadMap {
  try {
    const root = parseXml(text);
    if (root.name !== 'device')
      return { problems: [fileProblem(root.line, `${root.name} is not a CMSIS-SVD device`)] };
    return new SvdReader(root).device(root);
  } catch (error) {
    if (error instanceof XmlError) return { problems: [fileProblem(error.line, error.message)] };
    throw error;
  }
}
