import { type Clock, pause } from '../clock.ts';
import {
  type PlainStep,
  REPORTED_WORDS,
  SCRIPT_LIMITS,
  type Script,
  type ScriptReport,
  type ScriptStep,
  type StepResult,
  wordsOf,
} from '../contract/jobs/scripts.ts';
import { sentences } from '../contract/sentences.ts';
import { BenchError } from '../errors/bench-error.ts';
import { type Bus, isBusFault } from './bus.ts';
import { meets, resolved, type SavedWords } from './expectation.ts';
import { describeStep } from './words.ts';

/** Default time limit of a run, ms. */
const DEFAULT_LIMIT_MS = 60_000;
const DEFAULT_WAIT_MS = 1000;
const DEFAULT_EVERY_MS = 10;

export interface RunOptions {
  clock: Clock;
  /** Aborts the run; its reason is a BenchError. */
  signal: AbortSignal;
  /** Maximum time, ms; the script may set less. */
  maxMs?: number;
  /** Called from time to time with the progress, 0 to 1. */
  progress?: (fraction: number) => void;
}

/** The outcome of one execution of a step. */
type Attempt = Pick<StepResult, 'expected' | 'got' | 'word' | 'error'> & { ok: boolean };

const PASSED: Attempt = { ok: true, expected: null, got: null, word: null, error: null };

/** A step with its place in the report. */
type Entry =
  | { step: PlainStep; result: StepResult | null }
  | { step: Extract<ScriptStep, { op: 'repeat' }>; inner: Entry[] };

const shown = (words: Uint32Array): number[] => Array.from(words.subarray(0, REPORTED_WORDS));

/** The run ends early; the report has the reason. */
class Stopped extends Error {
  readonly reason: { code: string; message: string };

  constructor(reason: { code: string; message: string }) {
    super(reason.message);
    this.reason = reason;
  }
}

const reasonOf = (error: unknown): { code: string; message: string } =>
  error instanceof BenchError
    ? { code: error.code, message: sentences(error.message, error.remedy) }
    : { code: 'cancelled', message: 'The run was stopped before the script ended.' };

function entriesOf(steps: readonly ScriptStep[], place: number[], results: StepResult[]): Entry[] {
  return steps.map((step, at) => {
    if (step.op === 'repeat') return { step, inner: entriesOf(step.steps, [...place, at], results) };
    if (step.op === 'delay' || step.op === 'comment') return { step, result: null };
    const result: StepResult = {
      step: [...place, at],
      op: step.op,
      says: describeStep(step),
      ok: null,
      times: 0,
      failures: 0,
      expected: null,
      got: null,
      word: null,
      error: null,
      ms: 0,
    };
    results.push(result);
    return { step, result };
  });
}

const stepsDone = (entries: readonly Entry[]): number =>
  entries.reduce((sum, one) => sum + ('inner' in one ? one.step.times * stepsDone(one.inner) : 1), 0);

/** One run of a script. */
class ScriptRun {
  readonly #bus: Bus;
  readonly #options: RunOptions;
  readonly #saved: SavedWords = new Map();
  readonly #until: number;
  readonly #limit: number;
  #done = 0;
  #total = 1;

  constructor(script: Script, bus: Bus, options: RunOptions) {
    this.#bus = bus;
    this.#options = options;
    const { clock, maxMs = SCRIPT_LIMITS.totalMs } = options;
    this.#limit = Math.min(maxMs, script.limit_ms ?? DEFAULT_LIMIT_MS);
    this.#until = clock.monotonic() + this.#limit;
  }

  /** @throws Stopped. */
  async perform(entries: readonly Entry[], stopOnFailure: boolean): Promise<void> {
    this.#total = Math.max(1, stepsDone(entries));
    await this.#all(entries, stopOnFailure);
  }

  /** False when a step has failed and the run must not continue. */
  async #all(entries: readonly Entry[], stopOnFailure: boolean): Promise<boolean> {
    for (const entry of entries) {
      if ('inner' in entry) {
        for (let time = 0; time < entry.step.times; time++)
          if (!(await this.#all(entry.inner, stopOnFailure))) return false;
        continue;
      }
      this.#requireTime();
      this.#options.progress?.(this.#done++ / this.#total);
      const ok = await this.#one(entry.step, entry.result);
      if (!ok && stopOnFailure) return false;
    }
    return true;
  }

  async #one(step: PlainStep, result: StepResult | null): Promise<boolean> {
    const { clock } = this.#options;
    if (step.op === 'comment') return true;
    if (step.op === 'delay') {
      await this.#pause(step.ms);
      return true;
    }
    const began = clock.monotonic();
    const attempt = await this.#attempt(step);
    if (!result) return attempt.ok;
    const { ok, ...found } = attempt;
    result.ms += clock.monotonic() - began;
    result.times++;
    if (!ok) result.failures++;
    // The report keeps the first failure, since later ones may follow from it.
    if (result.failures === 0 || (!ok && result.failures === 1)) Object.assign(result, found);
    result.ok = result.failures === 0;
    return ok;
  }

  async #attempt(step: Exclude<PlainStep, { op: 'comment' | 'delay' }>): Promise<Attempt> {
    switch (step.op) {
      case 'write':
        return await this.#write(step);
      case 'read':
        return await this.#read(step);
      case 'wait':
        return await this.#wait(step);
    }
  }

  async #write({
    address,
    data,
    fixed_address,
    fails,
  }: Extract<PlainStep, { op: 'write' }>): Promise<Attempt> {
    const words = new Uint32Array(data.length);
    for (const [at, word] of data.entries()) {
      const value = typeof word === 'number' ? word : this.#saved.get(word.saved);
      if (value === undefined) {
        const name = typeof word === 'number' ? '' : word.saved;
        const error = { code: 'word_not_saved', message: `No word was saved as ${name}.` };
        return { ...PASSED, ok: false, error };
      }
      words[at] = value;
    }
    const request = { op: 'write', address, count: words.length, data: words } as const;
    const answer = await this.#ask({ ...request, fixed: fixed_address ?? false });
    if (answer.ok) return fails ? NOT_REFUSED : PASSED;
    return { ...PASSED, ok: Boolean(fails) && isBusFault(answer), error: answer.error };
  }

  async #read(step: Extract<PlainStep, { op: 'read' }>): Promise<Attempt> {
    const { address, fixed_address, fails, expect = [] } = step;
    const data = new Uint32Array(0);
    const request = { op: 'read', address, count: wordsOf(step), data } as const;
    const answer = await this.#ask({ ...request, fixed: fixed_address ?? false });
    if (!answer.ok) return { ...PASSED, ok: Boolean(fails) && isBusFault(answer), error: answer.error };
    const got = shown(answer.data);
    if (fails) return { ...NOT_REFUSED, got };
    const expected = expect.slice(0, REPORTED_WORDS).map((one) => resolved(one, this.#saved));
    let word: number | null = null;
    for (const [at, expectation] of expect.entries())
      if (!meets(expectation, answer.data[at] ?? 0, this.#saved)) word ??= at;
    // Show a difference beyond the first words too.
    if (word !== null && word >= REPORTED_WORDS) {
      expected.push(resolved(expect[word] ?? null, this.#saved));
      got.push(answer.data[word] ?? 0);
    }
    return { ok: word === null, expected: expect.length === 0 ? null : expected, got, word, error: null };
  }

  async #wait(step: Extract<PlainStep, { op: 'wait' }>): Promise<Attempt> {
    const { address, mask = 0xffff_ffff, value } = step;
    const { timeout_ms: timeout = DEFAULT_WAIT_MS, every_ms: every = DEFAULT_EVERY_MS } = step;
    const { clock } = this.#options;
    const expected = [{ mask, value }];
    const until = clock.monotonic() + timeout;
    const request = { op: 'read', address, count: 1, data: new Uint32Array(0), fixed: false } as const;
    for (;;) {
      const answer = await this.#ask(request);
      if (!answer.ok) return { ...PASSED, ok: false, expected, error: answer.error };
      const got = shown(answer.data);
      if (((got[0] ?? 0) & mask) === (value & mask)) return { ...PASSED, expected, got };
      const left = until - clock.monotonic();
      if (left <= 0) {
        const error = {
          code: 'wait_timeout',
          message: `The word did not get this value within ${timeout} ms.`,
        };
        return { ok: false, expected, got, word: 0, error };
      }
      await this.#pause(Math.min(every, left));
      this.#requireTime();
    }
  }

  async #ask(request: Parameters<Bus>[0]): ReturnType<Bus> {
    try {
      return await this.#bus(request);
    } catch (error) {
      const { signal } = this.#options;
      throw new Stopped(reasonOf(signal.aborted ? signal.reason : error));
    }
  }

  #requireTime(): void {
    const { clock, signal } = this.#options;
    if (signal.aborted) throw new Stopped(reasonOf(signal.reason));
    if (clock.monotonic() >= this.#until)
      throw new Stopped({
        code: 'script_deadline',
        message: `The script took longer than ${this.#limit} ms and was stopped.`,
      });
  }

  async #pause(ms: number): Promise<void> {
    const { clock, signal } = this.#options;
    const left = Math.min(ms, this.#until - clock.monotonic());
    if (left > 0) await pause(clock, left, signal);
  }
}

const NOT_REFUSED: Attempt = {
  ...PASSED,
  ok: false,
  error: { code: 'acknowledged', message: 'The design acknowledged, but the step expects that it does not.' },
};

const rounded = (ms: number): number => Math.round(ms * 1000) / 1000;

/** Runs a script over a bus. Resolves with the outcome, early ends included; never rejects. */
export async function runScript(script: Script, bus: Bus, options: RunOptions): Promise<ScriptReport> {
  const { clock } = options;
  const at = new Date(clock.now()).toISOString();
  const began = clock.monotonic();
  const steps: StepResult[] = [];
  const entries = entriesOf(script.steps, [], steps);
  let stopped: ScriptReport['stopped'] = null;
  try {
    await new ScriptRun(script, bus, options).perform(entries, script.stop_on_failure ?? false);
  } catch (error) {
    if (!(error instanceof Stopped)) throw error;
    stopped = error.reason;
  }
  for (const step of steps) step.ms = rounded(step.ms);
  const count = (ok: boolean | null) => steps.filter((step) => step.ok === ok).length;
  return {
    passed: count(true),
    failed: count(false),
    skipped: count(null),
    ms: rounded(clock.monotonic() - began),
    at,
    says: script.says ?? '',
    steps,
    stopped,
  };
}
