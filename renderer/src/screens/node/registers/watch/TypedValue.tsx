import { useState } from 'react';
import { CopyText } from '../../../../components/CopyText.tsx';
import { text } from '../../../../text/text.ts';

const t = text.registers;

/** Digits of a word; 32 bits may break in the middle. */
export function Digits({ text }: { text: string }) {
  if (text.length < LONG_BINARY || !text.startsWith('0b')) return text;
  const half = text.length - HALF_BINARY;
  return (
    <>
      {text.slice(0, half)}
      <wbr />
      {text.slice(half)}
    </>
  );
}

/** Sixteen bits in groups of four, and the shortest text with more. */
const HALF_BINARY = 19;
const LONG_BINARY = 24;

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
          className="watch-type mono"
          title={t.typeHint}
          aria-label={t.typeOver(name, shown)}
          onClick={() => setTyped(plain)}
        >
          {shown === '' ? '…' : <Digits text={shown} />}
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
