// The limits of a register in the legend of the plot.
import { useState } from 'react';
import { formatWord, type NumberFormat, parseWord } from '../../../../format/words.ts';
import { text } from '../../../../text/text.ts';
import type { Limits } from './crossings.ts';

const t = text.registers.plotting;

/** A typed limit: a word, or a negative number. Undefined for an empty text, null for any other. */
function limitOf(typed: string): number | undefined | null {
  if (typed.trim() === '') return undefined;
  const word = parseWord(typed);
  return word !== null && /^\s*[-−]/.test(typed) ? word | 0 : word;
}

interface FieldProps {
  label: string;
  value: number | undefined;
  format: NumberFormat;
  onChange(value: number | undefined): void;
}

/** Takes a limit with Enter or when it is left; Escape takes the text back. */
function LimitField({ label, value, format, onChange }: FieldProps) {
  const shown = value === undefined ? '' : formatWord(value, value < 0 ? 'signed' : format).replace('−', '-');
  const [typed, setTyped] = useState<string | undefined>();
  const limit = typed === undefined ? value : limitOf(typed);
  const take = () => {
    if (typed === undefined || limit === null) return;
    setTyped(undefined);
    if (limit !== value) onChange(limit);
  };
  return (
    <input
      className="input mono plot-limit"
      aria-label={label}
      aria-invalid={limit === null || undefined}
      title={limit === null ? text.registers.problems.word(32) : label}
      autoComplete="off"
      spellCheck={false}
      value={typed ?? shown}
      onChange={(event) => setTyped(event.target.value)}
      onBlur={take}
      onKeyDown={(event) => {
        if (event.key === 'Enter') take();
        else if (event.key === 'Escape') setTyped(undefined);
        else return;
        event.preventDefault();
        event.stopPropagation();
      }}
    />
  );
}

interface Props {
  name: string;
  limits: Limits | undefined;
  format: NumberFormat;
  onChange(limits: Limits): void;
}

/** The two limits of a register, in two cells. */
export function LimitFields({ name, limits = {}, format, onChange }: Props) {
  const { below, above } = limits;
  const put = (to: { below: number | undefined; above: number | undefined }) =>
    onChange({
      ...(to.below !== undefined && { below: to.below }),
      ...(to.above !== undefined && { above: to.above }),
    });
  return (
    <>
      <td>
        <LimitField
          label={t.alertBelow(name)}
          value={below}
          format={format}
          onChange={(value) => put({ below: value, above })}
        />
      </td>
      <td>
        <LimitField
          label={t.alertAbove(name)}
          value={above}
          format={format}
          onChange={(value) => put({ below, above: value })}
        />
      </td>
    </>
  );
}
