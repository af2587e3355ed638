import { createStore } from 'zustand/vanilla';
import type { CaptureRequest, SignalValue, Trigger } from '../../../../../server/contract/signals/signals.ts';
import type { WaveRow } from '../../../../../server/contract/signals/waves.ts';
import { parseAddress } from '../../../format/words.ts';
import { text } from '../../../text/text.ts';
import { type RecordingBy, VIRTUAL_BOARD_RECORDER } from './recording-by.ts';
import { infoOf, namesOfRows, type SignalsByName, widthOf } from './waves/lanes.ts';
import { parseValue, type ValueNames } from './waves/value-text.ts';

const t = text.signals.problems;

export const TRIGGER_KINDS = ['now', 'value', 'rising', 'falling', 'access'] as const;
export const DIRECTIONS = ['any', 'read', 'write'] as const;
/** What the board's clock does after a recording. */
export const AFTERWARDS = ['run', 'pause', 'until'] as const;

/** The form of a recording, as typed. */
export interface CaptureForm {
  kind: (typeof TRIGGER_KINDS)[number];
  signal: string;
  value: string;
  mask: string;
  address: string;
  direction: (typeof DIRECTIONS)[number];
  depth: string;
  position: string;
  every: string;
  deadline: string;
  after: (typeof AFTERWARDS)[number];
}

export const EMPTY_FORM: CaptureForm = {
  ...{ kind: 'now', signal: '', value: '', mask: '', address: '', direction: 'any' },
  ...{ depth: '1024', position: '0', every: '1', deadline: '60', after: 'run' },
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

export type FormProblems = Partial<Record<keyof CaptureForm | 'signals', string>>;

const whole = (typed: string, least: number, most: number): number | null => {
  const plain = typed.trim().replaceAll('_', '');
  const value = /^\d{1,9}$/.test(plain) ? Number(plain) : -1;
  return value >= least && value <= most ? value : null;
};

const wire = (value: bigint, width: number): SignalValue =>
  width <= 32 ? Number(value) : `0x${value.toString(16)}`;

/** The typed trigger; its problems go to `problems`. */
function triggerOf(
  form: CaptureForm,
  known: SignalsByName,
  namesOf: (name: string, width: number) => ValueNames,
  by: RecordingBy,
  problems: FormProblems,
): Trigger | null {
  const name = form.signal.trim();
  const info = infoOf(known, name);
  const width = widthOf(name, info);
  switch (form.kind) {
    case 'now':
      return { kind: 'now' };
    case 'rising':
    case 'falling':
      if (!info) problems.signal = t.signal;
      else if (width !== 1) problems.signal = t.edge;
      return { kind: form.kind, signal: name };
    case 'value': {
      if (!info) {
        problems.signal = t.signal;
        return null;
      }
      const value = parseValue(form.value, width, namesOf(name, width));
      const mask = form.mask.trim() === '' ? undefined : parseValue(form.mask, width, {});
      if (value === null) problems.value = t.value(width);
      if (mask === null) problems.mask = t.value(width);
      if (value === null || mask === null) return null;
      if (mask !== undefined && (value & ~mask) !== 0n) problems.mask = t.mask;
      return {
        ...{ kind: 'value', signal: name, value: wire(value, width) },
        ...(mask === undefined ? {} : { mask: wire(mask, width) }),
      };
    }
    case 'access': {
      const needed = [
        'bus.cyc',
        ...(form.direction === 'any' ? [] : ['bus.we']),
        ...(form.address.trim() === '' ? [] : ['bus.adr']),
      ].filter((one) => !isThere(known, one));
      if (by.using === 'core' && needed.length > 0) problems.kind = t.access(needed.join(', '));
      const address = form.address.trim() === '' ? undefined : parseAddress(form.address);
      if (address && !('address' in address)) {
        problems.address = t.address;
        return null;
      }
      return {
        kind: 'access',
        ...(address && { address: address.address }),
        ...(form.direction === 'any' ? {} : { direction: form.direction }),
      };
    }
  }
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
  const trigger = triggerOf(form, known, namesOf, by, problems);
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
      ...(by.virtual && by.using === 'core' && { using: by.using }),
    },
  };
}

/** Whether the running design still has bits of a signal. */
export function isThere(known: SignalsByName, name: string): boolean {
  const info = infoOf(known, name);
  return info !== undefined && info.lost < info.width;
}
