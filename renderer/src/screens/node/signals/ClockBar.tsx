import { useState } from 'react';
import type { CaptureRequest, SignalValues } from '../../../../../server/contract/signals/signals.ts';
import { Button } from '../../../components/Button.tsx';
import { text } from '../../../text/text.ts';
import type { Recorder } from './use-recorder.ts';

const t = text.signals;

/** Maximum clocks of a step. */
const MAX_STEPS = 1_000_000;

const plain = (count: number): string => count.toLocaleString('en');

interface Props {
  live: SignalValues | undefined;
  recorder: Recorder;
  locked: boolean;
  /** A recording that stops at its trigger; undefined without a valid trigger. */
  until: CaptureRequest | undefined;
}

/** The state of the board's clock. The holder can pause, step, run, and run until the trigger. */
export function ClockBar({ live, recorder, locked, until }: Props) {
  const [clocks, setClocks] = useState('1');
  const paused = live?.paused === true;
  const count = /^\d{1,7}$/.test(clocks) ? Number(clocks) : 0;
  const stepping = count >= 1 && count <= MAX_STEPS;
  const off = locked || recorder.busy || live === undefined;
  return (
    <fieldset className="clock-bar">
      <legend className="sr-only">{t.clock}</legend>
      <span className="clock-state num" role="status" data-paused={paused}>
        {paused ? t.paused(plain(live.clock)) : t.running}
      </span>
      {paused ? (
        <Button icon="play" disabled={off} onClick={() => void recorder.clock({ action: 'run' })}>
          {t.run}
        </Button>
      ) : (
        <Button icon="pause" disabled={off} onClick={() => void recorder.clock({ action: 'pause' })}>
          {t.pause}
        </Button>
      )}
      <Button
        disabled={off || !paused || !stepping}
        onClick={() => void recorder.clock({ action: 'step', clocks: count })}
      >
        {t.step}
      </Button>
      <input
        className="input clock-steps"
        aria-label={t.stepClocks}
        inputMode="numeric"
        value={clocks}
        aria-invalid={!stepping || undefined}
        disabled={locked}
        onChange={(event) => setClocks(event.target.value.trim())}
      />
      {until && (
        <Button disabled={off} onClick={() => void recorder.runUntil(until)}>
          {t.runUntil}
        </Button>
      )}
    </fieldset>
  );
}
