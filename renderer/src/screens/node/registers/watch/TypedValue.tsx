import { useState } from 'react';
import { CopyText } from '../../../../components/CopyText.tsx';
import { text } from '../../../../text/text.ts';

const t = text.registers;

interface Props {
  /** Name of the register or field. */
  name: string;
  /** The displayed text; empty without a known value. */
  shown: string;
  /** The text to copy, and to start typing from. */
  plain: string;
  /** Null for other text. */
  parse(typed: string): number | null;
  /** The message for such text. */
  problem: string;
  onWrite(value: number): void;
}

/** A value to type over: a click opens it, Enter writes, Escape or leaving cancels. */
export function TypedValue({ name, shown, plain, parse, problem, onWrite }: Props) {
  const [typed, setTyped] = useState<string | undefined>();
  if (typed === undefined)
    return (
      <span className="watch-typed">
        <button
          type="button"
          className="watch-type mono truncate"
          title={t.typeHint}
          aria-label={t.typeOver(name, shown)}
          onClick={() => setTyped(plain)}
        >
          {shown === '' ? '…' : shown}
        </button>
        {shown !== '' && <CopyText value={plain} shown="" label={t.value} />}
      </span>
    );
  const wrong = parse(typed) === null;
  return (
    <input
      className="input mono watch-typing"
      aria-label={t.newValue(name)}
      aria-invalid={wrong || undefined}
      autoComplete="off"
      spellCheck={false}
      value={typed}
      // biome-ignore lint/a11y/noAutofocus: it stands where the click was that asked for it
      autoFocus
      onFocus={(event) => event.target.select()}
      onChange={(event) => {
        event.target.setCustomValidity('');
        setTyped(event.target.value);
      }}
      onBlur={() => setTyped(undefined)}
      onKeyDown={(event) => {
        if (event.key === 'Escape') setTyped(undefined);
        else if (event.key === 'Enter') {
          const value = parse(typed);
          if (value === null) {
            // The browser shows it next to the field, outside any clipping.
            event.currentTarget.setCustomValidity(problem);
            event.currentTarget.reportValidity();
          } else {
            setTyped(undefined);
            onWrite(value);
          }
        } else return;
        event.preventDefault();
        event.stopPropagation();
      }}
    />
  );
}
