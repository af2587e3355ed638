// What a recorded read may expect.

import {
  expectationOf,
  READ_PROPOSALS,
  type ReadProposal,
} from '../../../../../../server/contract/jobs/read-proposals.ts';
import type {
  PlainStep,
  RecordedScript,
  ScriptStep,
  SeenWord,
} from '../../../../../../server/contract/jobs/scripts.ts';
import { linesOf } from './script-lines.ts';

/** The lines that a read can be, and what the session shows about its words. */
export interface ReadChoice {
  /** Proposal → the line with that expectation for every word. */
  lines: Readonly<Record<ReadProposal, string>>;
  /** The line as proposed: each word has its own. */
  proposed: string;
  words: readonly SeenWord[];
}

/** The step at a place in the script; undefined for a place in nothing. */
function stepAt(steps: readonly ScriptStep[], place: readonly number[]): ScriptStep | undefined {
  const [first = -1, ...rest] = place;
  const step = steps[first];
  if (rest.length === 0 || step === undefined) return step;
  return step.op === 'repeat' ? stepAt(step.steps, rest) : undefined;
}

const lineOf = (step: PlainStep): string => linesOf({ steps: [step] })[0]?.text ?? '';

/** The choices for the reads of a recorded script. */
export function readChoices({ script, reads = [] }: Pick<RecordedScript, 'script' | 'reads'>): ReadChoice[] {
  return reads.flatMap(({ step: place, words }) => {
    const step = stepAt(script.steps, place);
    if (step?.op !== 'read') return [];
    const lines = Object.fromEntries(
      READ_PROPOSALS.map((kind) => [
        kind,
        lineOf({ ...step, expect: words.map((word) => expectationOf(word, kind)) }),
      ]),
    ) as Record<ReadProposal, string>;
    return [{ lines, proposed: lineOf(step), words }];
  });
}

/** The choice that a line belongs to; a line that was typed has none. */
export const choiceOf = (choices: readonly ReadChoice[], line: string): ReadChoice | undefined =>
  choices.find(({ lines, proposed }) => line === proposed || Object.values(lines).includes(line));
