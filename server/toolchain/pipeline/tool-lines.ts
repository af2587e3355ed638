import type { Diagnostic } from '../../contract/diagnostics.ts';
import { diagnosticLine, parseToolLine } from '../scan/diagnostics.ts';

/**
 * A line of a tool as the job's log shows it: errors and warnings begin with their level and the place in the
 * source, nextpnr's `Info:` is left out.
 */
export function logLine(line: string, filename: string): { text: string; diagnostic: Diagnostic | null } {
  const latch = /^Latch inferred for signal `\\?(.+?)' from process `.*\$proc\$(.+?):(\d+)\$\d+'/.exec(line);
  if (latch) {
    const [, signal = '', file = '', at] = latch;
    const diagnostic: Diagnostic = {
      severity: 'warning',
      code: 'yosys_warning',
      file: file.replace(/^.*\//, ''),
      line: Number(at),
      message: `latch inferred for ${plainSignal(signal)}: it keeps its value in some case of the process`,
    };
    return { text: diagnosticLine(diagnostic), diagnostic };
  }
  const diagnostic = parseToolLine(line, filename);
  if (diagnostic) return { text: diagnosticLine(diagnostic), diagnostic };
  return { text: line.replace(/^Info: {1,2}/, ''), diagnostic: null };
}

const plainSignal = (signal: string) => signal.replaceAll('\\', '').replace(/^wishbench_\w+\./, '');
