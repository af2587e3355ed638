import { causeFirst } from '../diagnostics/findings.ts';
import { diagnosticLine } from '../diagnostics/text.ts';
import { drivenInputs } from './driven-inputs.ts';
import { slaveByInterface } from './interface-ports.ts';
import type { Judgement } from './judge.ts';

/**
 * A judgement with what its sources say beside it: inputs of the slave that it drives itself, and where no slave was found,
 * one with an interface for its bus.
 * @param rtlil of the whole design, before any pass has touched it
 */
export function withMore(judgement: Judgement, rtlil: Uint8Array): Judgement {
  const { scan, lines } = judgement;
  const { matched, outcome, source } = scan;
  const driven = matched ? drivenInputs(rtlil, matched.module, source) : [];
  if (driven.length > 0)
    return {
      ...judgement,
      scan: { ...scan, diagnostics: causeFirst([...scan.diagnostics, ...driven]) },
      lines: [...driven.map(diagnosticLine), ...lines],
    };
  const why = outcome.kind === 'none' && !outcome.nearest?.problem.bus ? slaveByInterface(source) : null;
  if (!why) return judgement;
  const others = scan.diagnostics.filter(({ module }) => module !== why.module);
  return {
    ...judgement,
    scan: { ...scan, diagnostics: causeFirst([why, ...others]) },
    lines: [...lines, diagnosticLine(why)],
  };
}
