import type { Diagnostic } from '../../contract/diagnostics.ts';
import { assertNever } from '../../errors/bench-error.ts';
import type { MatchOutcome } from './match.ts';
import type { SlaveProblem } from './roles.ts';

/** A module of the design with the place of its declaration, and why it is no slave; null for one that is. */
export interface JudgedModule {
  name: string;
  place: Pick<Diagnostic, 'file' | 'line'>;
  problem: SlaveProblem | null;
}

/** What the matcher has to say of a design that it cannot choose a slave of; the codes are those of the failure. */
export function diagnoseMatch(outcome: MatchOutcome, modules: readonly JudgedModule[]): Diagnostic[] {
  const about = (name: string) => modules.find((module) => module.name === name)?.place ?? {};
  switch (outcome.kind) {
    case 'matched':
      return [];
    case 'none':
      return modules.length === 0
        ? [{ severity: 'error', code: 'design_no_slave', message: 'the source defines no module' }]
        : // The one that says most comes first.
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
        message: `module ${module} is a Wishbone slave, and not the only one`,
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
  // A slave that is no candidate is a part of another module that is listed as well.
  message: `module ${name}: ${problem?.text ?? 'it is part of another module'}`,
  ...place,
  module: name,
  ...(problem?.port !== undefined && { port: problem.port }),
});
