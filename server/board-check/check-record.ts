import type { Clock } from '../clock.ts';
import type { BoardCheck, CheckStep, CheckStepName } from '../contract/boards/board-checks.ts';
import type { Failure } from '../contract/diagnostics.ts';

/** The outcome of a step. */
export interface StepOutcome {
  happened: string;
  figures?: Record<string, number>;
  /** A deviation that does not end the check. */
  warning?: Failure;
  /** The step did not apply. */
  skipped?: boolean;
}

/** Identifies a step; those of the line rates have their rate. */
export interface StepKey {
  step: CheckStepName;
  baud?: number;
}

/** The record of a check: its run writes it, and callers read it. */
export class CheckRecord {
  readonly #clock: Clock;
  readonly #began = new Map<CheckStep, number>();
  #check: BoardCheck;

  constructor(check: BoardCheck, clock: Clock) {
    this.#check = check;
    this.#clock = clock;
  }

  /** An immutable view of the present state. */
  get view(): BoardCheck {
    return structuredClone(this.#check);
  }

  get steps(): readonly CheckStep[] {
    return this.#check.steps;
  }

  add(more: Partial<Omit<BoardCheck, 'steps'>>): void {
    Object.assign(this.#check, more);
  }

  /** Inserts steps before a planned step. */
  insertBefore(before: CheckStepName, steps: readonly CheckStep[]): void {
    const at = this.#check.steps.findIndex(({ step }) => step === before);
    this.#check.steps.splice(at, 0, ...steps);
  }

  begin(key: StepKey): void {
    const step = this.#find(key);
    if (step.state !== 'waiting') return;
    step.state = 'running';
    this.#began.set(step, this.#clock.monotonic());
  }

  /** @param options.timed false where the elapsed time is not the step's own, or is recorded already */
  end(key: StepKey, outcome: StepOutcome, { timed = true } = {}): void {
    const { happened, figures = {}, warning, skipped = false } = outcome;
    const step = this.#find(key);
    step.state = skipped ? 'skipped' : warning ? 'warning' : 'passed';
    step.happened = happened;
    step.figures = figures;
    step.failure = warning ?? null;
    if (timed && !skipped) this.#time(step);
  }

  fail(key: StepKey, failure: Failure): void {
    const step = this.#find(key);
    step.state = 'failed';
    step.happened = failure.message;
    step.failure = failure;
    this.#time(step);
  }

  /** Marks unfinished steps as skipped. */
  skipRest(except?: CheckStepName): void {
    for (const step of this.#check.steps)
      if ((step.state === 'waiting' || step.state === 'running') && step.step !== except)
        step.state = 'skipped';
  }

  #time(step: CheckStep): void {
    const began = this.#began.get(step);
    if (began !== undefined) step.milliseconds = Math.round(10 * (this.#clock.monotonic() - began)) / 10;
  }

  #find({ step, baud }: StepKey): CheckStep {
    const found = this.#check.steps.find((one) => one.step === step && one.baud === baud);
    if (!found) throw new RangeError(`The check has no step ${step} ${baud ?? ''}`);
    return found;
  }
}
