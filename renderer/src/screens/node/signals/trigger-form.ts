import type { SignalValue, Trigger, TriggerStep } from '../../../../../server/contract/signals/signals.ts';
import { parseAddress } from '../../../format/words.ts';
import { text } from '../../../text/text.ts';
import type { RecordingBy } from './recording-by.ts';
import { infoOf, type SignalsByName, widthOf } from './waves/lanes.ts';
import { parseValue, type ValueNames } from './waves/value-text.ts';

const t = text.signals.problems;

export const DIRECTIONS = ['any', 'read', 'write'] as const;
/** Conditions of a trigger, and those that only a step may have. */
const CONDITIONS = ['value', 'rising', 'falling', 'access'] as const;
export const STEP_KINDS = [...CONDITIONS, 'range', 'change'] as const;
/** As in the schema of a trigger. */
export const MAX_STEPS = 4;
const MAX_COUNT = 1000;
const MAX_WITHIN = 1_000_000;

/** A condition, as typed. */
export interface ConditionForm {
  signal: string;
  value: string;
  mask: string;
  address: string;
  direction: (typeof DIRECTIONS)[number];
}

/** A step of a trigger, as typed. */
export interface StepForm extends ConditionForm {
  kind: (typeof STEP_KINDS)[number];
  max: string;
  count: string;
  within: string;
}

export const EMPTY_STEP: StepForm = {
  ...{ kind: 'rising', signal: '', value: '', mask: '', max: '', address: '', direction: 'any' },
  ...{ count: '1', within: '' },
};

export type StepProblems = Partial<Record<keyof StepForm, string>>;

/** What a trigger is checked against. */
export interface TriggerContext {
  known: SignalsByName;
  namesOf: (name: string, width: number) => ValueNames;
  by: RecordingBy;
}

/** A whole number in bounds; null for other text. */
export const whole = (typed: string, least: number, most: number): number | null => {
  const plain = typed.trim().replaceAll('_', '');
  const value = /^\d{1,9}$/.test(plain) ? Number(plain) : -1;
  return value >= least && value <= most ? value : null;
};

const wire = (value: bigint, width: number): SignalValue =>
  width <= 32 ? Number(value) : `0x${value.toString(16)}`;

/** The typed condition; its problems go to `problems`. */
export function conditionOf(
  form: ConditionForm & { kind: (typeof CONDITIONS)[number] },
  { known, namesOf, by }: TriggerContext,
  problems: StepProblems,
): Exclude<Trigger, { kind: 'now' | 'sequence' }> | null {
  const name = form.signal.trim();
  const info = infoOf(known, name);
  const width = widthOf(name, info);
  switch (form.kind) {
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

/** The typed step; its problems go to `problems`. @param at its place among the steps */
export function stepOf(
  form: StepForm,
  at: number,
  context: TriggerContext,
  problems: StepProblems,
): TriggerStep | null {
  const condition = stepCondition(form, context, problems);
  const count = whole(form.count, 1, MAX_COUNT);
  const within = at === 0 || form.within.trim() === '' ? undefined : whole(form.within, 1, MAX_WITHIN);
  if (count === null) problems.count = t.number('1,000');
  if (within === null) problems.within = t.number('1,000,000');
  if (!condition || count === null || within === null) return null;
  return { ...condition, ...(count > 1 && { count }), ...(within !== undefined && { within }) };
}

function stepCondition(form: StepForm, context: TriggerContext, problems: StepProblems): TriggerStep | null {
  const { kind } = form;
  if (kind !== 'range' && kind !== 'change') return conditionOf({ ...form, kind }, context, problems);
  const signal = form.signal.trim();
  const info = infoOf(context.known, signal);
  if (!info) {
    problems.signal = t.signal;
    return null;
  }
  if (kind === 'change') return { kind, signal };
  const width = widthOf(signal, info);
  const names = context.namesOf(signal, width);
  const [min, max] = [parseValue(form.value, width, names), parseValue(form.max, width, names)];
  if (min === null) problems.value = t.value(width);
  if (max === null) problems.max = t.value(width);
  if (min === null || max === null) return null;
  if (min > max) problems.max = t.range;
  return { kind, signal, min: wire(min, width), max: wire(max, width) };
}

/** Whether the running design still has bits of a signal. */
export function isThere(known: SignalsByName, name: string): boolean {
  const info = infoOf(known, name);
  return info !== undefined && info.lost < info.width;
}
