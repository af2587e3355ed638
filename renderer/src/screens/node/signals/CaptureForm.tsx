// The form of a recording.
import { useContext, useState } from 'react';
import { useStore } from 'zustand';
import { sentences } from '../../../../../server/contract/sentences.ts';
import type { CaptureUsing, CaptureView } from '../../../../../server/contract/signals/signals.ts';
import type { WaveRow } from '../../../../../server/contract/signals/waves.ts';
import { Button } from '../../../components/Button.tsx';
import { InlineError } from '../../../components/Empty.tsx';
import { SelectField, TextField } from '../../../components/Field.tsx';
import { text } from '../../../text/text.ts';
import {
  AFTERWARDS,
  captureForms,
  emptyForm,
  type CaptureForm as Form,
  requestOf,
  TRIGGER_KINDS,
} from './capture-form.ts';
import { RecordingContext } from './recording-by.ts';
import { TriggerSteps } from './TriggerSteps.tsx';
import { DIRECTIONS, EMPTY_STEP, isThere } from './trigger-form.ts';
import type { Recorder } from './use-recorder.ts';
import { bitsOf, recordedBits, type SignalsByName } from './waves/lanes.ts';
import type { ValueNames } from './waves/value-text.ts';

const t = text.signals;
const LIST = 'signal-names';

interface Props {
  fpgaId: number;
  rows: readonly WaveRow[];
  known: SignalsByName;
  /** On a virtual board with a capture core in the build: chooses which of them records. */
  onUsing: ((using: CaptureUsing) => void) | undefined;
  namesOf: (name: string, width: number) => ValueNames;
  capture: CaptureView | undefined;
  recorder: Recorder;
  /** The person is a viewer. */
  locked: boolean;
  paused: boolean;
}

/** The form of a recording: signals, trigger and depth. */
export function CaptureForm({
  fpgaId,
  rows,
  known,
  onUsing,
  namesOf,
  capture,
  recorder,
  locked,
  paused,
}: Props) {
  const by = useContext(RecordingContext);
  // A viewer cannot record: the waveforms get the height.
  const [folded = locked, setFolded] = useState<boolean>();
  const form = useStore(captureForms, (all) => all[fpgaId]) ?? emptyForm(by);
  const set = (change: Partial<Form>) => captureForms.setState({ [fpgaId]: { ...form, ...change } });
  const asked = requestOf(form, rows, known, namesOf, by);
  const problems = 'problems' in asked ? asked.problems : {};
  // What is wrong in an empty field is said next to the button.
  const [missing] = [form, ...form.steps].flatMap((part, at) =>
    Object.entries((at === 0 ? problems : problems.steps?.[at - 1]) ?? {}).flatMap(([field, problem]) =>
      typeof problem === 'string' &&
      Object.entries(part).some(([key, value]) => key === field && value === '')
        ? [problem]
        : [],
    ),
  );
  // Between two recordings that begin by themselves, nothing is running for a moment.
  const running = capture?.state === 'running' || (capture?.state === 'complete' && (capture.rearm ?? 0) > 0);
  const bits = by.using === 'inside' ? bitsOf(rows, known) : recordedBits(rows, known);
  const ofSignal = form.kind === 'value' || form.kind === 'rising' || form.kind === 'falling';
  const options = <Id extends string>(ids: readonly Id[], labels: Record<Id, string>) =>
    ids.map((value) => ({ value, label: labels[value] }));
  const typed = (field: Exclude<keyof Form, 'steps' | 'again'>) => ({
    value: form[field],
    // Empty fields show no problem.
    problem: form[field] === '' ? undefined : problems[field],
    onChange: (event: { target: { value: string } }) => set({ [field]: event.target.value }),
  });
  const afters = form.kind === 'now' ? AFTERWARDS.filter((one) => one !== 'until') : AFTERWARDS;
  return (
    <form
      className="capture-form"
      data-folded={folded}
      aria-label={t.settings}
      onSubmit={(event) => {
        event.preventDefault();
        if ('request' in asked && !running && !locked) void recorder.start(asked.request);
      }}
    >
      <datalist id={LIST}>
        {[...known.keys()].map((name) => isThere(known, name) && <option key={name} value={name} />)}
      </datalist>
      {onUsing && (
        <SelectField
          label={t.recordedBy}
          options={options(['inside', 'core'] as const, t.recorders)}
          value={by.using ?? ''}
          onChange={(event) => onUsing(event.target.value === 'core' ? 'core' : 'inside')}
        />
      )}
      <SelectField
        label={t.trigger}
        options={options(TRIGGER_KINDS, t.triggers)}
        value={form.kind}
        onChange={(event) => {
          const kind = TRIGGER_KINDS.find((one) => one === event.target.value);
          if (kind)
            set({
              kind,
              ...(kind === 'sequence' && form.steps.length === 0 ? { steps: [EMPTY_STEP, EMPTY_STEP] } : {}),
              ...(kind === 'now' && form.after === 'until' ? { after: 'run' } : {}),
            });
        }}
      />
      {ofSignal && <TextField label={t.triggerSignal} className="mono" list={LIST} {...typed('signal')} />}
      {form.kind === 'value' && (
        <>
          <TextField label={t.triggerValue} className="mono" {...typed('value')} />
          <TextField
            label={t.triggerMask}
            className="mono"
            placeholder={t.triggerMaskHint}
            {...typed('mask')}
          />
        </>
      )}
      {form.kind === 'access' && (
        <>
          <TextField label={t.address} className="mono" placeholder={t.anyAddress} {...typed('address')} />
          <SelectField
            label={t.direction}
            options={options(DIRECTIONS, t.directions)}
            value={form.direction}
            onChange={(event) => {
              const direction = DIRECTIONS.find((one) => one === event.target.value);
              if (direction) set({ direction });
            }}
          />
        </>
      )}
      <TextField label={t.depth} className="capture-number" inputMode="numeric" {...typed('depth')} />
      {form.kind !== 'now' && form.after !== 'until' && (
        <TextField label={t.position} className="capture-number" inputMode="numeric" {...typed('position')} />
      )}
      <TextField
        label={t.every}
        className="capture-number"
        inputMode="numeric"
        unit={t.everyUnit(form.every)}
        {...typed('every')}
      />
      {form.kind !== 'now' && (
        <TextField
          label={t.deadline}
          className="capture-number"
          inputMode="decimal"
          unit={t.seconds}
          {...typed('deadline')}
        />
      )}
      {by.using === 'inside' && (
        <SelectField
          label={t.after}
          options={options(afters, t.afters)}
          value={form.after}
          onChange={(event) => {
            const after = AFTERWARDS.find((one) => one === event.target.value);
            if (after) set({ after });
          }}
        />
      )}
      {form.after === 'run' && (
        <label className="capture-again" title={t.againHint}>
          <input
            type="checkbox"
            checked={form.again}
            onChange={(event) => set({ again: event.target.checked })}
          />{' '}
          {t.again}
        </label>
      )}
      {form.kind === 'sequence' && (
        <TriggerSteps
          steps={form.steps}
          problems={problems.steps ?? []}
          list={LIST}
          onChange={(steps) => set({ steps })}
        />
      )}
      <div className="capture-acts">
        {running ? (
          <Button icon="stop" disabled={locked} onClick={() => void recorder.cancel(capture.capture_id)}>
            {t.cancel}
          </Button>
        ) : (
          <Button
            kind="primary"
            type="submit"
            icon="play"
            busy={recorder.busy}
            disabled={locked || recorder.busy || !('request' in asked)}
          >
            {t.record}
          </Button>
        )}
        <Button
          kind="quiet"
          icon={folded ? 'down' : 'up'}
          aria-expanded={!folded}
          onClick={() => setFolded(!folded)}
        >
          {folded ? t.showSettings : t.hideSettings}
        </Button>
        <p
          className={`capture-note ${by.using === 'inside' && bits > by.bits ? 'text-bad' : 'muted'}`}
          role="status"
        >
          {running && capture
            ? paused
              ? t.waitsPaused
              : capture.trigger.kind === 'now'
                ? t.recording
                : capture.triggered
                  ? t.triggered
                  : t.waitsForTrigger(capture.deadline_seconds)
            : (problems.signals ??
              problems.kind ??
              missing ??
              (by.using === 'inside' ? t.chosenBits(bits, by.bits) : t.chosenProbes(bits, by.bits)))}
        </p>
      </div>
      {recorder.error !== undefined && <InlineError error={recorder.error} />}
      {!running && capture?.failure && recorder.error === undefined && (
        <p className="capture-failure text-warn">
          {sentences(capture.failure.message, capture.failure.remedy)}
        </p>
      )}
    </form>
  );
}
