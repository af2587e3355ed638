import { useState } from 'react';
import type { Pin } from '../../../../../server/contract/nodes/pins.ts';
import { formatBits } from '../../../format/words.ts';
import { usePreference } from '../../../state/client/context.tsx';
import { bitsOf } from '../../../state/pins/pins.ts';
import { text } from '../../../text/text.ts';
import type { InputProps } from './Bits.tsx';
import { digitsOf, parseBits } from './port-widgets.ts';

const t = text.panel;

/** The segments a to g of a digit of 40 × 72, and its point. */
const SEGMENT_SHAPES = [
  'M8 4h24l-5 6H13z',
  'M34 6l3 3v22l-3 3l-4-4V12z',
  'M34 38l3 3v22l-3 3l-4-5V42z',
  'M13 62h14l5 6H8z',
  'M6 38l4 4v19l-4 5l-3-3V41z',
  'M6 6l4 6v18l-4 4l-3-3V9z',
  'M12 32h16l4 4l-4 4H12l-4-4z',
];

export function Digits({ pin }: { pin: Pin }) {
  const format = usePreference('numberFormat');
  const digits = digitsOf(pin, bitsOf(pin.value));
  return (
    <div
      className="digits"
      role="img"
      aria-label={t.shows(pin.name, formatBits(bitsOf(pin.value), pin.width, format))}
    >
      {digits.map((segments, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a digit is its place
        <svg key={at} viewBox="0 0 46 72" aria-hidden="true">
          {SEGMENT_SHAPES.map((shape, segment) => (
            <path key={shape} d={shape} data-lit={((segments >> segment) & 1) === 1} />
          ))}
          <circle cx="42" cy="65" r="3" data-lit={((segments >> 7) & 1) === 1} />
        </svg>
      ))}
    </div>
  );
}

export function Bar({ pin }: { pin: Pin }) {
  const bits = bitsOf(pin.value);
  const format = usePreference('numberFormat');
  const most = (1n << BigInt(pin.width)) - 1n;
  const share = Number((bits * 10_000n) / most) / 100;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a <meter> is drawn in each browser's own way
    <div
      className="pin-bar"
      role="meter"
      aria-label={pin.name}
      aria-valuemin={0}
      aria-valuemax={Number(most)}
      aria-valuenow={Number(bits)}
      aria-valuetext={formatBits(bits, pin.width, format)}
    >
      <span style={{ inlineSize: `${share}%` }} />
    </div>
  );
}

/** The value of an output in the chosen format, and in hex or decimal. */
export function Shown({ pin }: { pin: Pin }) {
  const bits = bitsOf(pin.value);
  const format = usePreference('numberFormat');
  return (
    <p className="pin-number">
      <span>{formatBits(bits, pin.width, format)}</span>
      <span className="pin-decimal">{formatBits(bits, pin.width, format === 'hex' ? 'decimal' : 'hex')}</span>
    </p>
  );
}

export function Slider({ pin, locked, onSet }: InputProps) {
  const bits = bitsOf(pin.value);
  const format = usePreference('numberFormat');
  return (
    <input
      className="pin-slider"
      type="range"
      min={0}
      max={2 ** pin.width - 1}
      value={Number(bits)}
      disabled={locked}
      aria-label={pin.name}
      aria-valuetext={formatBits(bits, pin.width, format)}
      onChange={(event) => onSet(BigInt(event.target.value), 'glide')}
    />
  );
}

/** A number field: Enter or leaving it sets the value, Escape restores it. */
export function NumberField({ pin, locked, onSet }: InputProps) {
  const bits = bitsOf(pin.value);
  const format = usePreference('numberFormat');
  const [typed, setTyped] = useState<string | null>(null);
  const parsed = typed === null ? bits : parseBits(typed, pin.width);
  const problem =
    parsed === null ? t.wrong : parsed >= 1n << BigInt(pin.width) ? t.tooWide(pin.width) : undefined;
  const commit = () => {
    if (typed === null || problem !== undefined || parsed === null) return;
    setTyped(null);
    if (parsed !== bits) onSet(parsed);
  };
  return (
    <div className="pin-field">
      <input
        className="input pin-input"
        value={typed ?? formatBits(bits, pin.width, format)}
        disabled={locked}
        aria-label={t.value(pin.name)}
        aria-invalid={problem !== undefined || undefined}
        autoComplete="off"
        spellCheck={false}
        size={Math.max(6, Math.ceil(pin.width / 4) + 3)}
        onChange={(event) => setTyped(event.target.value)}
        onFocus={(event) => event.target.select()}
        onBlur={() => (problem === undefined ? commit() : setTyped(null))}
        onKeyDown={(event) => {
          if (event.key === 'Enter') commit();
          if (event.key === 'Escape' && typed !== null) {
            setTyped(null);
            event.stopPropagation();
          }
        }}
      />
      {problem && (
        <p className="field-problem" role="alert">
          {problem}
        </p>
      )}
    </div>
  );
}
