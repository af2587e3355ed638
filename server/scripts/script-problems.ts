import type { FieldProblem } from '../contract/failures.ts';
import {
  type Expectation,
  SCRIPT_LIMITS,
  type Script,
  type ScriptStep,
  wordsOf,
} from '../contract/jobs/scripts.ts';

/** First byte address of the base SoC's own registers, which are read-only. */
const BASE_SOC = 0xf000_0000;
const ADDRESS_SPACE = 2 ** 32;

type Place = (string | number)[];

/** The totals of a script. */
interface Sums {
  steps: number;
  stepsDone: number;
  words: number;
}

/** Checks a script that fits its schema. */
class Inspection {
  readonly problems: FieldProblem[] = [];
  readonly sums: Sums = { steps: 0, stepsDone: 0, words: 0 };
  readonly #saved = new Set<string>();

  all(steps: readonly ScriptStep[], place: Place, times: number): void {
    for (const [at, step] of steps.entries()) this.#one(step, [...place, at], times);
  }

  #one(step: ScriptStep, place: Place, times: number): void {
    this.sums.steps++;
    this.sums.stepsDone += times;
    switch (step.op) {
      case 'repeat':
        this.all(step.steps, [...place, 'steps'], times * step.times);
        return;
      case 'write': {
        for (const [at, word] of step.data.entries())
          if (typeof word !== 'number') this.#requireSaved(word.saved, [...place, 'data', at]);
        const end = this.#moves(step, step.data.length, place, times);
        if (end > BASE_SOC && end <= ADDRESS_SPACE)
          this.#add(
            [...place, 'address'],
            'a write must end below 0xF0000000, where the registers of the base SoC begin',
            'address_range',
          );
        return;
      }
      case 'read': {
        const { expect = [] } = step;
        const count = wordsOf(step);
        if (expect.length > count)
          this.#add([...place, 'expect'], `expects ${expect.length} words, but reads ${count}`, 'too_long');
        if (step.fails && expect.length > 0)
          this.#add([...place, 'expect'], 'expects words from a read that should fail', 'extra_forbidden');
        for (const [at, one] of expect.entries()) this.#expectation(one, [...place, 'expect', at]);
        this.#moves(step, count, place, times);
        return;
      }
      case 'wait':
        this.sums.words += times;
        return;
      case 'delay':
      case 'comment':
        return;
    }
  }

  #moves(
    { address, fixed_address: fixed }: { address: number; fixed_address?: boolean },
    count: number,
    place: Place,
    times: number,
  ): number {
    this.sums.words += times * count;
    const end = address + 4 * (fixed ? 1 : count);
    if (end > ADDRESS_SPACE)
      this.#add([...place, 'address'], 'goes past the end of the 32-bit address space', 'address_range');
    return end;
  }

  #expectation(expectation: Expectation, place: Place): void {
    if (typeof expectation !== 'object' || expectation === null) return;
    if ('saved' in expectation) this.#requireSaved(expectation.saved, place);
    else if ('save_as' in expectation) this.#saved.add(expectation.save_as);
    else if ('min' in expectation && expectation.min > expectation.max)
      this.#add(place, 'has a min above its max', 'less_than_equal');
  }

  #requireSaved(name: string, place: Place): void {
    if (!this.#saved.has(name)) this.#add(place, `uses “${name}”, which no earlier step saves`, 'not_saved');
  }

  #add(loc: Place, msg: string, type: string): void {
    // The first few are enough.
    if (this.problems.length < 20) this.problems.push({ loc, msg, type });
  }
}

/**
 * The problems of a script that fits its schema; empty where it can run.
 * @param place in the request, e.g. `['body', 'script']`
 */
export function scriptProblems({ steps }: Script, place: Place): FieldProblem[] {
  const inspection = new Inspection();
  inspection.all(steps, [...place, 'steps'], 1);
  const { sums, problems } = inspection;
  const most = (sum: number, limit: number, what: string) => {
    if (sum > limit)
      problems.push({
        loc: [...place, 'steps'],
        msg: `${what} at most ${limit}, not ${sum}`,
        type: 'too_long',
      });
  };
  most(sums.steps, SCRIPT_LIMITS.steps, 'all steps together may be');
  most(sums.stepsDone, SCRIPT_LIMITS.totalSteps, 'executed steps, repeats counted, may be');
  most(sums.words, SCRIPT_LIMITS.totalWords, 'transferred words, repeats counted, may be');
  return problems;
}
