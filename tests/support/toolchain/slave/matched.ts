import { expect } from 'vitest';
import type { MatchedDesign } from '../../../../server/contract/designs/uploads.ts';
import type { CandidateModule } from '../../../../server/toolchain/slave/candidate.ts';
import { type MatchOutcome, matchDesign } from '../../../../server/toolchain/slave/match.ts';
import { DIALECTS, port } from './dialects.ts';

/** The convention of the contract, and that of OpenCores. */
export const contract = DIALECTS[0]!;
export const opencores = DIALECTS[1]!;

/** The outcome of these modules. */
export const outcomeOf = (modules: CandidateModule[], options = {}): MatchOutcome =>
  matchDesign(modules, options).outcome;

/** The design that a module is matched to, and the notes on it; fails where it is no slave. */
export function matched(module: CandidateModule, options = {}): MatchedDesign & { notes: string[] } {
  const outcome = outcomeOf([module], options);
  if (outcome.kind !== 'matched')
    return expect.unreachable(`${outcome.kind}: ${matchDesign([module]).problems.get(module.name)?.text}`);
  return { ...outcome.design, notes: outcome.notes };
}

/** Why a module is no slave. */
export const problemOf = (module: CandidateModule): string | undefined =>
  matchDesign([module]).problems.get(module.name)?.text;

/** The name of a port that is written as in `port`. */
export const nameOf = (text: string): string => port(text).name;
