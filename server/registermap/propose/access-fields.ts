import type { BitField } from '../../contract/designs/register-map.ts';
import { type BusSignals, isAssignment } from './bus-signals.ts';
import type { Code } from './cursor.ts';
import { consistent } from './phrases.ts';

const SEMICOLON = new Set([';']);

/** Infers the fields of a register from its accesses in the code. */
export class AccessFields {
  readonly #code: Code;
  readonly #signals: BusSignals;

  constructor(code: Code, signals: BusSignals) {
    this.#code = code;
    this.#signals = signals;
  }

  /** Parts of a read value, the highest first: `{24'd0, mode, busy}` or one signal; null for any other expression. */
  #readParts(from: number): { name: string | null; width: number }[] | null {
    const code = this.#code;
    const end = code.find(from, SEMICOLON);
    const braced = code.text(from) === '{' && code.behindBracket(from) === end;
    const parts: { name: string | null; width: number }[] = [];
    for (let at = braced ? from + 1 : from; at < (braced ? end - 1 : end); ) {
      const token = code.tokens[at];
      const next = code.text(at + 1);
      if (token?.kind === 'number' && token.width !== null) {
        parts.push({ name: null, width: token.width });
        at += 1;
      } else if (token?.kind === 'name') {
        const behind = next === '[' ? code.behindBracket(at + 1) : at + 1;
        const range = next === '[' ? this.#signals.range(at + 1, behind) : null;
        const width =
          next === '['
            ? range
              ? range.high - range.low + 1
              : 0
            : (this.#signals.widths.get(token.text) ?? 0);
        if (width < 1) return null;
        parts.push({ name: token.text, width });
        at = behind;
      } else return null;
      if (at < (braced ? end - 1 : end)) {
        if (!braced || code.text(at) !== ',') return null;
        at++;
      }
    }
    return parts.reduce((sum, { width }) => sum + width, 0) <= 32 ? parts : null;
  }

  /** The signal that is read, where it is a single one. */
  signalAt(from: number): string | undefined {
    const signals = this.#readParts(from)?.filter(({ name }) => name !== null) ?? [];
    return signals.length === 1 ? (signals[0]?.name ?? undefined) : undefined;
  }

  readFields(from: number): BitField[] {
    const parts = this.#readParts(from);
    if (!parts) return [];
    const fields: BitField[] = [];
    let lsb = 0;
    for (const { name, width } of parts.toReversed()) {
      if (name !== null && width < 32) fields.push({ name, msb: lsb + width - 1, lsb });
      lsb += width;
    }
    // One wide signal padded with zeros is the register itself.
    return fields.length === 1 && fields[0]?.lsb === 0 && fields[0].msb > 0 ? [] : fields;
  }

  /** `mode <= wb_dat_i[3:1];` */
  writtenFields(from: number, to: number): BitField[] {
    const code = this.#code;
    const fields: BitField[] = [];
    for (let at = from + 1; at < to - 3; at++) {
      if (
        !isAssignment(code.text(at)) ||
        !this.#signals.sources.has(code.text(at + 1)) ||
        code.text(at + 2) !== '['
      )
        continue;
      const behind = code.behindBracket(at + 2);
      const range = this.#signals.range(at + 2, behind);
      if (!code.isName(at - 1) || code.text(behind) !== ';' || !range || range.high > 31) continue;
      fields.push({ name: code.text(at - 1), msb: range.high, lsb: range.low });
    }
    return fields.length === 1 && fields[0]?.lsb === 0 && fields[0].msb > 0 ? [] : fields;
  }
}

/** Merges the fields of reads and writes; none where they conflict. */
export function mergedFields(fields: readonly BitField[]): BitField[] {
  const byPlace = new Map<string, BitField>();
  for (const field of fields) {
    const key = `${field.msb}:${field.lsb}`;
    byPlace.set(key, byPlace.get(key) ?? field);
  }
  return consistent([...byPlace.values()]).sort((a, b) => b.msb - a.msb);
}
