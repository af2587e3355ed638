import type { Expectation, Script, ScriptStep } from '../contract/jobs/scripts.ts';
import { wordsOf } from '../contract/jobs/scripts.ts';
import { describeStep, hexWord, wellFormed } from './words.ts';

/** A string of Python: JSON strings are valid, except lone surrogates. */
const quoted = (text: string): string => JSON.stringify(wellFormed(text));

function expectationOf(expectation: Expectation): string {
  if (expectation === null) return 'None';
  if (typeof expectation === 'number') return String(expectation);
  if ('mask' in expectation) return `masked(${expectation.mask}, ${expectation.value})`;
  if ('min' in expectation) return `within(${expectation.min}, ${expectation.max})`;
  if ('saved' in expectation) return `same(${quoted(expectation.saved)})`;
  return `save(${quoted(expectation.save_as)})`;
}

function linesOf(steps: readonly ScriptStep[], indent: string): string[] {
  return steps.flatMap((step) => {
    if (step.op === 'repeat')
      return [
        ...(step.says ? [`${indent}# ${step.says}`] : []),
        `${indent}for _ in range(${step.times}):`,
        ...linesOf(step.steps, `${indent}    `),
      ];
    if (step.op === 'comment') return [`${indent}print(${quoted(step.says)})`];
    if (step.op === 'delay') return [`${indent}time.sleep(${step.ms / 1000})`];
    const head = `${quoted(describeStep(step))}, ${hexWord(step.address)}`;
    if (step.op === 'wait') {
      const { mask = 0xffff_ffff, value, timeout_ms = 1000, every_ms = 10 } = step;
      return [`${indent}wait(${head}, ${value}, ${mask}, ${timeout_ms / 1000}, ${every_ms / 1000})`];
    }
    const more = `${step.fixed_address ? ', fixed=True' : ''}${step.fails ? ', fails=True' : ''}`;
    if (step.op === 'read')
      return [
        `${indent}read(${head}, ${wordsOf(step)}, [${(step.expect ?? []).map(expectationOf).join(', ')}]${more})`,
      ];
    const words = step.data.map((word) => (typeof word === 'number' ? word : `saved[${quoted(word.saved)}]`));
    return [`${indent}write(${head}, lambda: [${words.join(', ')}]${more})`];
  });
}

/**
 * Writes a script as a Python program for the bench's client.
 * @param file the design that it programs by default
 * @param url the bench that it calls by default
 */
export function pythonOf(
  { says, steps, stop_on_failure: stops = false }: Script,
  file: string,
  url: string,
): string {
  const body = linesOf(steps, '    ');
  return `#!/usr/bin/env python3
# ${says || 'What a design does, step by step.'}
#
#   python3 script.py [FILE]              builds FILE, programs an idle node with it and releases the node
#   WISHBENCH_NODE=3 python3 script.py    runs on node 3, which you already hold
#
# wishbench.py of the bench must be on PYTHONPATH or next to this file. WISHBENCH_URL and WISHBENCH_KEY say where the
# bench is and who calls. Exits with 1 if a step failed.
import os
import sys
import time

import wishbench

STOP_ON_FAILURE = ${stops ? 'True' : 'False'}
failures = []
saved = {}


def show(ok, says, why=""):
    print("ok  " if ok else "FAIL", says if ok or not why else f"{says}: {why}", flush=True)
    if not ok:
        failures.append(says)
        if STOP_ON_FAILURE:
            sys.exit(1)


def masked(mask, value):
    return lambda word: word & mask == value & mask


def within(least, most):
    return lambda word: least <= word <= most


def save(name):
    return lambda word: (saved.update({name: word}), True)[1]


def same(name):
    return lambda word: saved.get(name) == word


def meets(expected, word):
    return expected is None or (expected(word) if callable(expected) else expected == word)


def script(node):
    def write(says, address, words, fixed=False, fails=False):
        try:
            node.write(address, words(), fixed=fixed)
        except KeyError as error:
            show(False, says, f"no word was saved as {error}")
        except wishbench.BusFault as fault:
            show(fails, says, fault.message)
        else:
            show(not fails, says, "the design acknowledged")

    def read(says, address, count, expect, fixed=False, fails=False):
        try:
            words = node.read(address, count, fixed=fixed)
        except wishbench.BusFault as fault:
            show(fails, says, fault.message)
            return
        if fails:
            show(False, says, "the design acknowledged")
            return
        wrong = [at for at, one in enumerate(expect) if not meets(one, words[at])]
        show(not wrong, says, f"word {wrong[0]} is {words[wrong[0]]:#x}" if wrong else "")

    def wait(says, address, value, mask, timeout, every):
        try:
            node.poll(address, value, mask=mask, timeout=timeout, every=every)
        except (wishbench.TimedOut, wishbench.BusFault) as error:
            show(False, says, error.message)
        else:
            show(True, says)

${body.length === 0 ? '    return' : body.join('\n')}


bench = wishbench.Bench(os.environ.get("WISHBENCH_URL") or ${quoted(url)})
if len(sys.argv) < 2 and "WISHBENCH_NODE" in os.environ:
    script(bench.node(int(os.environ["WISHBENCH_NODE"])))
else:
    with bench.program(sys.argv[1] if len(sys.argv) > 1 else ${quoted(file)}) as programmed:
        script(programmed)
sys.exit(1 if failures else 0)
`;
}
