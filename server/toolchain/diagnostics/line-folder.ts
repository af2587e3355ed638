import type { Diagnostic } from '../../contract/diagnostics.ts';
import { diagnosticLine } from './text.ts';

/** Lines of one shape that are passed on at once, and at the end. */
const FIRST = 50;
const LAST = 10;
/** Limit of shapes. Lines of further shapes are passed on unchanged. */
const MAX_SHAPES = 1000;

/** Repeated lines of one shape. */
interface Repeated {
  /** The first line of the shape. */
  like: string;
  count: number;
  /** The newest lines that were held back. */
  last: string[];
}

/**
 * Limits repeated lines in a log. Of findings of one shape, and of equal lines in a row, it passes on the first ones at
 * once. At the end come the number of dropped lines and the last ones. Every other line is passed on.
 */
export class LineFolder {
  readonly #pass: (line: string) => void;
  readonly #shapes = new Map<string, Repeated>();
  /** The current run of equal lines that are no findings. */
  #run: Repeated | null = null;

  /** @param pass receives the lines for the log */
  constructor(pass: (line: string) => void) {
    this.#pass = pass;
  }

  /** @param finding of the line, if it is one */
  add(line: string, finding: Diagnostic | null): void {
    if (finding === null) {
      if (this.#run?.like !== line) this.#endRun();
      this.#run ??= { like: line, count: 0, last: [] };
      this.#repeat(this.#run, line);
      return;
    }
    this.#endRun();
    const shape = shapeOf(finding);
    const known = this.#shapes.get(shape) ?? { like: line, count: 0, last: [] };
    if (this.#shapes.size < MAX_SHAPES) this.#shapes.set(shape, known);
    this.#repeat(known, line);
  }

  /** Passes on the held-back lines when the tool has ended. */
  end(): void {
    this.#endRun();
    for (const repeated of this.#shapes.values()) this.#unfold(repeated);
    this.#shapes.clear();
  }

  #repeat(repeated: Repeated, line: string): void {
    repeated.count++;
    if (repeated.count <= FIRST) {
      this.#pass(line);
      return;
    }
    repeated.last.push(line);
    if (repeated.last.length > LAST) repeated.last.shift();
  }

  #endRun(): void {
    if (this.#run) this.#unfold(this.#run);
    this.#run = null;
  }

  #unfold({ like, count, last }: Repeated): void {
    const folded = count - FIRST - last.length;
    if (folded > 0) this.#pass(`… ${folded} more lines like this one were left out: ${like}`);
    for (const line of last) this.#pass(line);
  }
}

/** Findings as log lines; those of one shape are folded. */
export function linesOf(findings: readonly Diagnostic[]): string[] {
  const lines: string[] = [];
  const folder = new LineFolder((line) => lines.push(line));
  for (const finding of findings) {
    folder.add(diagnosticLine(finding), finding);
    for (const note of finding.notes ?? []) {
      const info: Diagnostic = { severity: 'info', code: `${finding.code}_note`, ...note };
      folder.add(diagnosticLine(info), info);
    }
  }
  folder.end();
  return lines;
}

/** A key for findings that differ only in place, numbers and names. */
function shapeOf({ severity, code, message, module, port, net }: Diagnostic): string {
  let shape = message;
  for (const name of [module, port, net]) if (name) shape = shape.replaceAll(name, '…');
  return `${severity} ${code} ${shape.replace(/[`'"][^`'"]*['"]/g, '…').replace(/\d+/g, '…')}`;
}
