import { readFileSync } from 'node:fs';
import type { Evidence } from '../../server/contract/boards/capabilities.ts';
import { resourcePath } from '../../server/paths.ts';

/** The stored evidence of boards from tests. */
export const EVIDENCE_FILE = resourcePath('capabilities', 'evidence.json');

/** A test of this run: what it proves, when it passed. */
export interface Witness {
  /** Its file, with slashes, ` > ` and its full name. */
  test: string;
  passed: boolean;
  proves: Omit<Evidence, 'test'>[];
}

const key = ({ board, capability, proof, system, test }: Evidence): string =>
  [board, system, capability, proof, test].join('\t');

const fileOf = (test: string): string => test.split(' > ')[0] ?? test;

export function readEvidence(): Evidence[] {
  return JSON.parse(readFileSync(EVIDENCE_FILE, 'utf8')) as Evidence[];
}

/** The evidence of the passed tests. */
const provenBy = (witnesses: readonly Witness[]): Evidence[] =>
  witnesses.flatMap(({ test, passed, proves }) => (passed ? proves.map((one) => ({ ...one, test })) : []));

/**
 * The evidence to store after a run: of passed tests, what they prove now; of tests that did not run, were skipped or
 * failed, or ran on another system, the earlier record.
 */
export function renewEvidence(
  recorded: readonly Evidence[],
  witnesses: readonly Witness[],
  system: string,
): Evidence[] {
  const files = new Set(witnesses.map(({ test }) => fileOf(test)));
  const silent = new Set(witnesses.filter(({ passed }) => !passed).map(({ test }) => test));
  const kept = recorded.filter(
    (one) => one.system !== system || !files.has(fileOf(one.test)) || silent.has(one.test),
  );
  const all = new Map([...kept, ...provenBy(witnesses)].map((one) => [key(one), one]));
  return [...all.values()].sort((a, b) => (key(a) < key(b) ? -1 : 1));
}

/** Sentences on where this run and what is written down disagree; none when all is well. */
export function judgeEvidence(
  recorded: readonly Evidence[],
  witnesses: readonly Witness[],
  system: string,
): string[] {
  const known = new Set(recorded.map(key));
  const renewed = renewEvidence(recorded, witnesses, system);
  const now = new Set(renewed.map(key));
  const say = ({ board, capability, proof, test }: Evidence) => `${board}, ${capability}, ${proof}: ${test}`;
  return [
    ...renewed
      .filter((one) => !known.has(key(one)))
      .map((one) => `Proven, and not written down: ${say(one)}`),
    ...recorded.filter((one) => !now.has(key(one))).map((one) => `Written down, and not proven: ${say(one)}`),
  ];
}
