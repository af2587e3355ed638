import type { Diagnostic } from '../../contract/diagnostics.ts';
import { assertNever } from '../../errors/bench-error.ts';
import type { MatchOutcome } from './match.ts';
import type { SlaveProblem } from './roles.ts';

/** A module with its place, and why it is no slave; null for a slave. */
export interface JudgedModule {
  name: string;
  place: Pick<Diagnostic, 'file' | 'line'>;
  problem: SlaveProblem | null;
}

/** Diagnostics for a design without a slave to choose. Their codes are those of the errors. */
export function diagnoseMatch(outcome: MatchOutcome, modules: readonly JudgedModule[]): Diagnostic[] {
  const about = (name: string) => modules.find((module) => module.name === name)?.place ?? {};
  switch (outcome.kind) {
    case 'matched':
      return [];
    case 'none':
      return modules.length === 0
        ? [{ severity: 'error', code: 'design_no_slave', message: 'the source defines no module' }]
        : // The nearest module comes first.
          [...modules]
            .sort(
              (a, b) =>
                Number(b.name === outcome.nearest?.module) - Number(a.name === outcome.nearest?.module),
            )
            .map(noSlave);
    case 'top is no slave':
      return [noSlave({ name: outcome.top, place: about(outcome.top), problem: outcome.problem })];
    case 'ambiguous':
      return outcome.candidates.map((module) => ({
        severity: 'error',
        code: 'design_ambiguous',
        message: `module ${module} is a Wishbone slave, but not the only one`,
        ...about(module),
        module,
      }));
    case 'unknown top':
      return [
        {
          severity: 'error',
          code: 'design_top_unknown',
          message: `there is no module ${outcome.top}`,
          module: outcome.top,
        },
      ];
    case 'bad tie':
      return [
        {
          severity: 'error',
          code: 'design_bad_tie',
          message: outcome.problem,
          ...about(outcome.module),
          module: outcome.module,
          port: outcome.port,
        },
      ];
    default:
      return assertNever(outcome);
  }
}

const noSlave = ({ name, place, problem }: JudgedModule): Diagnostic => ({
  severity: 'error',
  code: 'design_no_slave',
  // A slave that is no candidate is part of another module in the list.
  message: `module ${name}: ${problem?.text ?? 'it is part of another module'}`,
  ...place,
  module: name,
  ...(problem?.port !== undefined && { port: problem.port }),
});
