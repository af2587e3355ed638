import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import type { Pin } from '../../../../../server/contract/nodes/pins.ts';
import { bitsOf, type Change } from '../../../state/pins/pins.ts';
import { text } from '../../../text/text.ts';
import { colourOf, isActiveLow } from './port-widgets.ts';

const t = text.panel;

/** How long a lamp glows after a pulse, ms. */
const GLOW_MS = 250;

/** The bits of a pin, highest first. */
const places = (width: number): number[] => Array.from({ length: width }, (_, at) => width - 1 - at);

const isSet = (bits: bigint, bit: number): boolean => ((bits >> BigInt(bit)) & 1n) === 1n;

/** Bits in groups of four. */
function Row({ width, children }: { width: number; children: (bit: number) => ReactNode }) {
  const groups: number[][] = [];
  for (const bit of places(width)) {
    const group = groups.at(-1);
    if (group && (bit + 1) % 4 !== 0) group.push(bit);
    else groups.push([bit]);
  }
  return (
    <div className="pin-row">
      {groups.map((group) => (
        <span className="pin-group" key={group[0]}>
          {group.map((bit) => (
            <span className="pin-place" key={bit}>
              {children(bit)}
              {width > 1 && (
                <span className="pin-bit" aria-hidden="true">
                  {bit}
                </span>
              )}
            </span>
          ))}
        </span>
      ))}
    </div>
  );
}

/** Bits that changed and changed back between two events; it clears after a moment. */
function usePulses(pin: Pin): bigint {
  const [pulses, setPulses] = useState(0n);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  // Each event is a new object, even if the same bit pulses again.
  useEffect(() => {
    const over = bitsOf(pin.rose) & bitsOf(pin.fell);
    if (over === 0n) return;
    setPulses(over);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => setPulses(0n), GLOW_MS);
  }, [pin]);
  useEffect(() => () => clearTimeout(timer.current), []);
  return pulses;
}

export function Lamps({ pin }: { pin: Pin }) {
  const { name, width } = pin;
  const low = isActiveLow(pin);
  const bits = bitsOf(pin.value);
  const pulses = usePulses(pin);
  return (
    <Row width={width}>
      {(bit) => {
        const lit = isSet(bits, bit) !== low;
        return (
          <span
            role="img"
            aria-label={`${t.bit(name, bit, width)} ${lit ? t.lit : t.dark}`}
            className={`lamp lamp-${colourOf(pin)}`}
            data-lit={lit}
            data-pulse={!lit && isSet(pulses, bit)}
          />
        );
      }}
    </Row>
  );
}

export interface InputProps {
  pin: Pin;
  /** The panel is read only. */
  locked: boolean;
  /** @param mask the bits to set, all by default: other people's changes to the rest stay */
  onSet(bits: bigint, change?: Change, mask?: bigint): void;
}

/** Arrow keys move along the bits; Tab stops at one of them. */
function useRoving(width: number) {
  const [at, setAt] = useState(width - 1);
  const stop = Math.min(at, width - 1);
  return {
    tabIndex: (bit: number) => (bit === stop ? 0 : -1),
    onFocus: (bit: number) => setAt(bit),
    onKeyDown(event: KeyboardEvent<HTMLElement>, bit: number) {
      const step = { ArrowLeft: 1, ArrowRight: -1 }[event.key];
      if (step === undefined) return;
      event.preventDefault();
      const next = Math.max(0, Math.min(width - 1, bit + step));
      const row = event.currentTarget.closest('.pin-row');
      row?.querySelector<HTMLElement>(`[data-bit="${next}"]`)?.focus();
    },
  };
}

export function Switches({ pin, locked, onSet }: InputProps) {
  const { name, width } = pin;
  const bits = bitsOf(pin.value);
  const roving = useRoving(width);
  return (
    <Row width={width}>
      {(bit) => (
        <button
          type="button"
          role="switch"
          className="toggle"
          aria-checked={isSet(bits, bit)}
          aria-label={t.bit(name, bit, width)}
          data-bit={bit}
          disabled={locked}
          tabIndex={roving.tabIndex(bit)}
          onFocus={() => roving.onFocus(bit)}
          onKeyDown={(event) => roving.onKeyDown(event, bit)}
          onClick={() => onSet(~bits & (1n << BigInt(bit)), 'step', 1n << BigInt(bit))}
        >
          <span className="toggle-lever" />
        </button>
      )}
    </Row>
  );
}

/** Push buttons: pressed while pointer or key hold them, released when they lose the focus. */
export function PushButtons({ pin, locked, onSet }: InputProps) {
  const { name, width } = pin;
  const [held, setHeld] = useState<number | null>(null);
  const roving = useRoving(width);
  const rest = bitsOf(pin.initial);
  const latest = useRef({ pin, onSet });
  latest.current = { pin, onSet };
  const holding = useRef<number | null>(null);
  const put = (bit: number, pressed: boolean) => {
    const mask = 1n << BigInt(bit);
    latest.current.onSet(pressed ? ~rest & mask : rest & mask, 'edge', mask);
  };
  const release = () => {
    const bit = holding.current;
    if (bit === null) return;
    holding.current = null;
    setHeld(null);
    put(bit, false);
  };
  const press = (bit: number) => {
    if (locked || holding.current === bit) return;
    release();
    holding.current = bit;
    setHeld(bit);
    put(bit, true);
  };
  const releaseNow = useRef(release);
  releaseNow.current = release;
  useEffect(() => {
    const end = () => releaseNow.current();
    window.addEventListener('blur', end);
    document.addEventListener('visibilitychange', end);
    return () => {
      window.removeEventListener('blur', end);
      document.removeEventListener('visibilitychange', end);
      end();
    };
  }, []);
  const isKey = (key: string) => key === ' ' || key === 'Enter';
  return (
    <Row width={width}>
      {(bit) => (
        <button
          type="button"
          className="push-button"
          aria-label={t.bit(name, bit, width)}
          aria-pressed={held === bit || isSet(bitsOf(pin.value) ^ rest, bit)}
          data-bit={bit}
          disabled={locked}
          tabIndex={roving.tabIndex(bit)}
          onFocus={() => roving.onFocus(bit)}
          onPointerDown={(event) => {
            if (event.button !== 0) return;
            event.currentTarget.setPointerCapture(event.pointerId);
            press(bit);
          }}
          onPointerUp={release}
          onPointerCancel={release}
          onLostPointerCapture={release}
          onContextMenu={(event) => event.preventDefault()}
          onBlur={release}
          onKeyDown={(event) => {
            roving.onKeyDown(event, bit);
            if (!isKey(event.key)) return;
            event.preventDefault();
            if (!event.repeat) press(bit);
          }}
          onKeyUp={(event) => {
            if (isKey(event.key)) release();
          }}
        />
      )}
    </Row>
  );
}
