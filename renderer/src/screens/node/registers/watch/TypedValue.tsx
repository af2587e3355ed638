import { useState } from 'react';
import { CopyText } from '../../../../components/CopyText.tsx';
import { text } from '../../../../text/text.ts';

const t = text.registers;

interface Props {
  /** What it is the value of. */
  name: string;
  /** As it stands there; empty where nothing is known. */
  shown: string;
  /** As it is copied, and as the typing begins. */
  plain: string;
  /** Null for what is no value of it. */
  parse(typed: string): number | null;
  /** Said of a text that is no value. */
  problem: string;
  onWrite(value: number): void;
}

/** A value that is typed over: a click opens it, Enter writes, Escape or leaving it changes nothing. */
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
            // Beside the field, whatever is cut off around it.
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
