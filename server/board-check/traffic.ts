import type { Clock } from '../clock.ts';
import { boardsError } from '../errors/boards.ts';
import { MEMORY_WORDS, REGISTER, sequence } from './check-design.ts';
import type { StepOutcome } from './check-record.ts';
import type { CheckedNode } from './checked-node.ts';
import { CHECK_WORDS, inWords } from './steps.ts';

/** The number of wrong or missing words. */
function differences(wanted: Uint32Array, words: Uint32Array): number {
  return wanted.reduce((wrong, word, at) => wrong + (words[at] === word ? 0 : 1), 0);
}

const wrongWords = (wrong: number, of: number, where: string) =>
  boardsError('check_words_wrong', {
    message: `${wrong} of ${inWords(of)} ${where} are wrong, although the line carried them without errors.`,
  });

/** The outcome of so many words in so many milliseconds. */
function moved(words: number, ms: number): StepOutcome {
  const perSecond = Math.round((1000 * words) / Math.max(ms, 0.001));
  return {
    happened: `${inWords(words)}, none wrong, ${inWords(perSecond)} a second.`,
    figures: { words, wrong: 0, words_per_second: perSecond },
  };
}

/** Writes every word of the design's memory and reads it back. */
export async function checkMemory(node: CheckedNode): Promise<StepOutcome> {
  const data = sequence(MEMORY_WORDS, 1);
  await node.write(REGISTER.memory, data);
  const wrong = differences(data, await node.read(REGISTER.memory, MEMORY_WORDS));
  if (wrong > 0) throw wrongWords(wrong, MEMORY_WORDS, 'read back from the block RAM');
  return { happened: `${inWords(MEMORY_WORDS)}, none wrong.`, figures: { words: MEMORY_WORDS, wrong } };
}

const restartSequence = (node: CheckedNode) => node.write(REGISTER.wrong, Uint32Array.of(0));

/** Sends words that the design compares with its own. */
export async function checkWrite(node: CheckedNode, clock: Clock): Promise<StepOutcome> {
  await restartSequence(node);
  const began = clock.monotonic();
  await node.write(REGISTER.sequence, sequence(CHECK_WORDS), true);
  const ms = clock.monotonic() - began;
  const [wrong = 0, words = 0] = await node.read(REGISTER.wrong, 2);
  if (words !== CHECK_WORDS)
    throw boardsError('check_words_wrong', {
      message: `The design received ${inWords(words)} of ${CHECK_WORDS}, although the line carried all of them.`,
    });
  if (wrong > 0) throw wrongWords(wrong, CHECK_WORDS, 'that the design received');
  return moved(CHECK_WORDS, ms);
}

/** Reads words that the design generates and compares them with our own. */
export async function checkRead(node: CheckedNode, clock: Clock): Promise<StepOutcome> {
  await restartSequence(node);
  const began = clock.monotonic();
  const words = await node.read(REGISTER.sequence, CHECK_WORDS, true);
  const ms = clock.monotonic() - began;
  const wrong = differences(sequence(CHECK_WORDS), words);
  if (wrong > 0) throw wrongWords(wrong, CHECK_WORDS, 'that the design sent');
  return moved(CHECK_WORDS, ms);
}
