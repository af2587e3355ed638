import { parentPort } from 'node:worker_threads';
import { makeWords } from './runtime/compiled-words.ts';
import { laidOut } from './runtime/machine-plan.ts';
import type { WordsAnswer, WordsRequest } from './runtime/words-thread.ts';

/** Compiles engines for a thread that runs fabrics, one after another: see WordsThread. */
const port = parentPort;
if (!port) throw new Error('words-worker.js runs as a worker thread only');

port.on('message', ({ request, netlist, seen }: WordsRequest) => {
  // The code contains no net names.
  const design = laidOut({ ...netlist, nameOf: () => '' });
  const answer: WordsAnswer = { request, words: makeWords(design, seen) };
  port.postMessage(answer);
});
