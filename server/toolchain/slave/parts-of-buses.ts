import type { CandidateModule } from './candidate.ts';
import type { SlaveProblem } from './roles.ts';

/** Modules below the given ones. */
export function containedIn(modules: ReadonlyMap<string, CandidateModule>, roots: string[]): Set<string> {
  const below = new Set<string>();
  for (const root of roots) {
    const todo = [...(modules.get(root)?.instantiates ?? [])];
    const seen = new Set<string>();
    for (let name = todo.pop(); name !== undefined; name = todo.pop()) {
      if (seen.has(name) || name === root) continue;
      seen.add(name);
      below.add(name);
      todo.push(...(modules.get(name)?.instantiates ?? []));
    }
  }
  return below;
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
