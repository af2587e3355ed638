import { expectationOf } from '../contract/jobs/read-proposals.ts';
import {
  type PlainStep,
  type RecordedRead,
  SCRIPT_LIMITS,
  type Script,
  type ScriptStep,
  type SeenWord,
} from '../contract/jobs/scripts.ts';
import type { DoneTransaction } from './done-transaction.ts';
import { type SeenWords, seenWords } from './seen-words.ts';

/** Minimum repetitions that become a repeat. */
const REPEATED = 3;
/** Minimum unchanged reads of a word before a change that become a wait. */
const LOOKED = 2;
/** A wait gets so many times its recorded duration. */
const PATIENCE = 10;
/** Maximum words of a read that the script explains. */
const EXPLAINED_WORDS = 16;

/** The transaction as a step; null where its words are missing, or too many for a step. */
function stepOf(
  { op, address, fixed, fault, count, data }: DoneTransaction,
  seen: SeenWords,
): PlainStep | null {
  if (count === 0 || count > SCRIPT_LIMITS.words) return null;
  const place = { address, ...(fixed ? { fixed_address: true } : {}) };
  if (op === 'write') {
    if (data?.length !== count) return null;
    return { op, ...place, data: Array.from(data), ...(fault ? { fails: true } : {}) };
  }
  if (fault) return { op, ...place, count, fails: true };
  if (data?.length !== count) return { op, ...place, count };
  if (fixed) return { op, ...place, expect: Array.from(data) };
  return { op, ...place, expect: wordsOf(address, data, seen).map((word) => expectationOf(word)) };
}

const wordsOf = (address: number, data: Uint32Array, seen: SeenWords): SeenWord[] =>
  Array.from(data, (value, index) => seen.at(address + 4 * index, value));

const isLook = ({ op, count, fault, data }: DoneTransaction): boolean =>
  op === 'read' && count === 1 && !fault && data?.length === 1;

/** Repeated reads of one word until it changed, starting at `from`: their number, and the wait that replaces them. */
function waitAt(done: readonly DoneTransaction[], from: number): { length: number; step: ScriptStep } | null {
  const first = done[from];
  if (!first || !isLook(first)) return null;
  const before = first.data?.[0] ?? 0;
  for (let at = from + 1; ; at++) {
    const next = done[at];
    if (!next || !isLook(next) || next.address !== first.address) return null;
    const value = next.data?.[0] ?? 0;
    if (value === before) continue;
    if (at - from < LOOKED) return null;
    // The changed bits are those that the wait tests.
    const mask = (before ^ value) >>> 0;
    const took = Math.max(0, next.at - first.at);
    const timeout = Math.min(SCRIPT_LIMITS.pauseMs, Math.max(1000, Math.ceil(PATIENCE * took)));
    return {
      length: at - from + 1,
      step: {
        op: 'wait',
        address: first.address,
        mask,
        value: (value & mask) >>> 0,
        timeout_ms: timeout,
      },
    };
  }
}

/**
 * Converts a session's transactions into a script that repeats them and expects the same answers. Polling becomes a
 * wait, repetitions become a repeat.
 * @param done oldest first
 * @param polled polls of the session, which show what changes by itself
 * @returns the script, the number of omitted transactions, and what the session shows about the words of its reads
 */
export function recordedScript(
  done: readonly DoneTransaction[],
  polled: readonly DoneTransaction[] = [],
): { script: Script; skipped: number; reads: RecordedRead[] } {
  const steps: ScriptStep[] = [];
  const reads: RecordedRead[] = [];
  const seen = seenWords([...done, ...polled].sort((a, b) => a.at - b.at));
  let skipped = 0;
  let words = 0;
  // A repeat counts with the step in it.
  let size = 0;
  for (let at = 0; at < done.length; ) {
    const wait = waitAt(done, at);
    const one = done[at] as DoneTransaction;
    const step = wait?.step ?? stepOf(one, seen);
    if (step === null) {
      skipped++;
      at++;
      continue;
    }
    let length = wait?.length ?? 1;
    let times = 1;
    if (!wait) {
      const text = JSON.stringify(step);
      const same = (next: DoneTransaction | undefined) =>
        next !== undefined && next.op === one.op && JSON.stringify(stepOf(next, seen)) === text;
      // The last read before a change belongs to the wait after it.
      while (same(done[at + length]) && times < SCRIPT_LIMITS.times) {
        length++;
        times++;
      }
    }
    const grows = times >= REPEATED ? 2 : times;
    const moved = times * (wait ? 1 : one.count);
    if (size + grows > SCRIPT_LIMITS.steps || words + moved > SCRIPT_LIMITS.totalWords) {
      skipped += done.length - at;
      break;
    }
    const isExplained = step.op === 'read' && !one.fixed && !one.fault && one.data?.length === one.count;
    if (isExplained && one.data && one.count <= EXPLAINED_WORDS) {
      const words = wordsOf(one.address, one.data, seen);
      const inner = times >= REPEATED ? [0] : [];
      for (let time = 0; time < grows - inner.length; time++)
        reads.push({ step: [steps.length + time, ...inner], words });
    }
    if (times >= REPEATED) steps.push({ op: 'repeat', times, steps: [step as PlainStep] });
    else for (let time = 0; time < times; time++) steps.push(step);
    size += grows;
    words += moved;
    at += length;
  }
  return { script: { steps }, skipped, reads };
}
