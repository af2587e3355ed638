import { reachable } from '../reachable.ts';
import type { CandidateModule } from './candidate.ts';
import type { SlaveProblem } from './roles.ts';

/** Modules below the given ones. */
export function containedIn(modules: ReadonlyMap<string, CandidateModule>, roots: string[]): Set<string> {
  const inside = (name: string) => modules.get(name)?.instantiates ?? [];
  return new Set(
    roots.flatMap((root) => [...reachable(inside(root), inside)].filter((name) => name !== root)),
  );
}

/** By slave: the module around it that has a Wishbone bus which the bench cannot connect. */
export function partsOfBuses(
  modules: ReadonlyMap<string, CandidateModule>,
  problems: ReadonlyMap<string, SlaveProblem | null>,
): Map<string, string> {
  const parts = new Map<string, string>();
  for (const [owner, problem] of problems) {
    if (!problem?.bus || problem.bus.kind === 'other') continue;
    for (const name of containedIn(modules, [owner]))
      if (problems.get(name) === null && !parts.has(name)) parts.set(name, owner);
  }
  return parts;
}

/** Adds to the reasons which part of such a module can be built by itself. */
export function withHints(
  problems: ReadonlyMap<string, SlaveProblem | null>,
  candidates: readonly string[],
  parts: ReadonlyMap<string, string>,
): Map<string, SlaveProblem | null> {
  const explained = new Map(problems);
  for (const name of candidates) {
    const owner = parts.get(name);
    const problem = owner === undefined ? null : explained.get(owner);
    if (owner !== undefined && problem && problem === problems.get(owner))
      explained.set(owner, {
        ...problem,
        text: `${problem.text}; top=${name} builds only ${name}, a part of it`,
      });
  }
  return explained;
}
