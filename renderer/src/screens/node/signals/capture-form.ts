import { createStore } from 'zustand/vanilla';
import type { CaptureRequest, Trigger } from '../../../../../server/contract/signals/signals.ts';
import type { WaveRow } from '../../../../../server/contract/signals/waves.ts';
import { text } from '../../../text/text.ts';
import { type RecordingBy, VIRTUAL_BOARD_RECORDER } from './recording-by.ts';
import {
  type ConditionForm,
  conditionOf,
  isThere,
  type StepForm,
  type StepProblems,
  stepOf,
  type TriggerContext,
  whole,
} from './trigger-form.ts';
import { infoOf, namesOfRows, type SignalsByName, widthOf } from './waves/lanes.ts';
import type { ValueNames } from './waves/value-text.ts';

const t = text.signals.problems;

export const TRIGGER_KINDS = ['now', 'value', 'rising', 'falling', 'access', 'sequence'] as const;
/** What the board's clock does after a recording. */
export const AFTERWARDS = ['run', 'pause', 'until'] as const;

/** The form of a recording, as typed. */
export interface CaptureForm extends ConditionForm {
  kind: (typeof TRIGGER_KINDS)[number];
  /** Of a trigger of several steps. */
  steps: readonly StepForm[];
  depth: string;
  position: string;
  every: string;
  deadline: string;
  after: (typeof AFTERWARDS)[number];
  /** Another recording begins when one is complete. */
  again: boolean;
}

export const EMPTY_FORM: CaptureForm = {
  ...{ kind: 'now', signal: '', value: '', mask: '', address: '', direction: 'any' },
  ...{ depth: '1024', position: '0', every: '1', deadline: '60', after: 'run' },
  ...{ steps: [], again: false },
};

/** Fits a form to its recorder: its maximum depth, and a clock that stops only if it can. */
export function formFor(form: CaptureForm, { using, samples, every }: RecordingBy): CaptureForm {
  const atMost = (typed: string, most: number) => (Number(typed) > most ? String(most) : typed);
  const depth = atMost(form.depth, samples);
  return {
    ...form,
    depth,
    position: atMost(form.position, Math.max(0, Number(depth) - 1 || 0)),
    every: atMost(form.every, every),
    ...(using === 'inside' ? {} : { after: 'run' }),
  };
}

/** A new form. */
export const emptyForm = (by: RecordingBy): CaptureForm => formFor(EMPTY_FORM, by);

const grouped = (count: number): string => count.toLocaleString('en-US');

/** Node → its form, while the window is open. */
export const captureForms = createStore<Partial<Record<number, CaptureForm>>>(() => ({}));

export type FormProblems = Partial<Record<Exclude<keyof CaptureForm, 'steps'> | 'signals', string>> & {
  steps?: readonly StepProblems[];
};

/** Recordings that begin by themselves, until somebody cancels. */
const AGAIN = 10_000;

/** The typed trigger; its problems go to `problems`. */
function triggerOf(form: CaptureForm, context: TriggerContext, problems: FormProblems): Trigger | null {
  const { kind } = form;
  if (kind === 'now') return { kind };
  if (kind !== 'sequence') return conditionOf({ ...form, kind }, context, problems);
  if (context.by.using === 'core') {
    problems.kind = t.stepsInCore;
    return null;
  }
  const found = form.steps.map((step, at) => {
    const wrong: StepProblems = {};
    return { step: stepOf(step, at, context, wrong), wrong };
  });
  if (found.some(({ wrong }) => Object.keys(wrong).length > 0))
    problems.steps = found.map(({ wrong }) => wrong);
  const steps = found.flatMap(({ step }) => step ?? []);
  return steps.length > 0 && steps.length === found.length ? { kind, steps } : null;
}

/**
 * The request for the bench, or the problems of the form.
 * @param by the recorder with its limits
 */
export function requestOf(
  form: CaptureForm,
  rows: readonly WaveRow[],
  known: SignalsByName,
  namesOf: (name: string, width: number) => ValueNames,
  by: RecordingBy = VIRTUAL_BOARD_RECORDER,
): { request: CaptureRequest } | { problems: FormProblems } {
  const problems: FormProblems = {};
  const wanted = namesOfRows(rows).filter((name) => isThere(known, name));
  const bits = wanted.reduce((sum, name) => sum + widthOf(name, infoOf(known, name)), 0);
  if (wanted.length === 0) problems.signals = t.noSignals;
  else if (by.using === 'inside' && bits > by.bits) problems.signals = t.tooWide(bits);
  const depth = whole(form.depth, 1, by.samples);
  const every = whole(form.every, 1, by.every);
  const typed = Number(form.deadline.trim().replace(',', '.'));
  const deadline = form.deadline.trim() !== '' && typed >= 0.1 && typed <= 3600 ? typed : null;
  const pauses = by.using === 'inside' && form.after !== 'run';
  const until = pauses && form.after === 'until' && form.kind !== 'now';
  const position = until ? (depth ?? 1) - 1 : whole(form.position, 0, (depth ?? by.samples) - 1);
  if (depth === null) problems.depth = t.number(grouped(by.samples));
  if (position === null) problems.position = t.position;
  if (every === null) problems.every = t.number(grouped(by.every));
  if (deadline === null) problems.deadline = t.seconds;
  const trigger = triggerOf(form, { known, namesOf, by }, problems);
  if (
    Object.keys(problems).length > 0 ||
    depth === null ||
    position === null ||
    every === null ||
    deadline === null ||
    trigger === null
  )
    return { problems };
  return {
    request: {
      ...{ signals: wanted, trigger, depth, every, deadline_seconds: deadline },
      position: form.kind === 'now' ? 0 : position,
      pause: pauses,
      ...(form.again && !pauses && { rearm: AGAIN }),
      ...(by.virtual && by.using === 'core' && { using: by.using }),
    },
  };
}
