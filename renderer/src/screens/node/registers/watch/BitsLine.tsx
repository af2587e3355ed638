import { type KeyboardEvent, useState } from 'react';
import { text } from '../../../../text/text.ts';
import type { BitField } from '../map/register-map.ts';
import type { WatchRow } from './watch-rows.ts';

const t = text.registers;

/** The field of a bit. */
const fieldAt = (fields: readonly BitField[], bit: number): BitField | undefined =>
  fields.find(({ msb, lsb }) => bit <= msb && bit >= lsb);

const describe = (bit: number, field: BitField | undefined): string =>
  field === undefined
    ? t.bit(bit)
    : t.bitOf(bit, field.msb === field.lsb ? field.name : `${field.name}[${bit - field.lsb}]`);

interface Props {
  row: Extract<WatchRow, { kind: 'bits' }>;
  name: string;
  ready: boolean;
  onWrite(bit: number, value: 0 | 1): void;
}

/** The bits of a register; a click toggles one. Arrow keys move along them, and Tab stops at one of them. */
export function BitsLine({ row: { register, msb, lsb, known }, name, ready, onWrite }: Props) {
  const [stop, setStop] = useState(lsb);
  const access = register?.access ?? 'rw';
  const fields = register?.fields ?? [];
  // A write-only register counts as 0 before the first write.
  const word = known?.value ?? (access === 'wo' ? 0 : undefined);
  const bits = Array.from({ length: msb - lsb + 1 }, (_, index) => msb - index);
  const move = (event: KeyboardEvent<HTMLButtonElement>, bit: number) => {
    const step = { ArrowLeft: 1, ArrowRight: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const next = Math.max(lsb, Math.min(msb, bit + step));
    event.currentTarget.parentElement?.querySelector<HTMLElement>(`[data-bit="${next}"]`)?.focus();
  };
  return (
    <tr className="watch-row watch-bits">
      <td />
      <td className="num muted">
        [{msb}:{lsb}]
      </td>
      <td colSpan={4}>
        <fieldset className="watch-bit-row" aria-label={t.bitsOf(name)}>
          {bits.map((bit) => {
            const field = fieldAt(fields, bit);
            const set = word !== undefined && (word >>> bit) % 2 === 1;
            const fixed = access === 'ro' || (field?.access ?? access) === 'ro';
            return (
              <button
                key={bit}
                type="button"
                className="watch-bit mono"
                data-bit={bit}
                data-begins={field?.msb === bit || undefined}
                data-named={field !== undefined || undefined}
                aria-pressed={set}
                aria-label={`${describe(bit, field)} ${name}`}
                title={word === undefined ? t.bitUnknown(describe(bit, field)) : describe(bit, field)}
                aria-disabled={fixed || !ready || word === undefined}
                tabIndex={bit === stop ? 0 : -1}
                onFocus={() => setStop(bit)}
                onKeyDown={(event) => move(event, bit)}
                onClick={() => {
                  if (!fixed && ready && word !== undefined) onWrite(bit, set ? 0 : 1);
                }}
                // The style sheet draws it: the name has the bit's number, and the pressed state has its value.
                data-shows={word === undefined ? '–' : set ? '1' : '0'}
              />
            );
          })}
        </fieldset>
      </td>
      <td className="watch-about" />
      <td className="watch-time" />
    </tr>
  );
}
