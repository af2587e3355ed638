import type { Diagnostic } from '../../contract/diagnostics.ts';
import { diagnosticLine } from './text.ts';

/** Lines of one shape that are passed on at once, and of the rest the newest, which are passed on at the end. */
const FIRST = 50;
const LAST = 10;
/** Shapes that are told apart; lines of further ones are passed on as they are. */
const MAX_SHAPES = 1000;

interface Repeated {
  /** The first line of the shape. */
  like: string;
  count: number;
  /** The newest that were held back. */
  last: string[];
}

/**
 * Keeps a tool that says one thing over and over from filling a log: of findings of one shape, and of lines that are
 * alike one after the other, the first are passed on as they come, and the last at the end with the number of those
 * between them. Every other line is passed on as it is.
 */
export class LineFolder {
  readonly #pass: (line: string) => void;
  readonly #shapes = new Map<string, Repeated>();
  /** Of the lines that are no findings: the one that came last, and how often in a row. */
  #run: Repeated | null = null;

  /** @param pass takes what the log is to have */
  constructor(pass: (line: string) => void) {
    this.#pass = pass;
  }

  /** @param finding what the line says, where it is a finding */
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

  /** Passes on what was held back: the tool has ended. */
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

/** Findings as the lines of a log, those of one shape folded. */
export function linesOf(findings: readonly Diagnostic[]): string[] {
  const lines: string[] = [];
  const folder = new LineFolder((line) => lines.push(line));
  for (const finding of findings) folder.add(diagnosticLine(finding), finding);
  folder.end();
  return lines;
}

/** What findings have in common that differ in place, numbers and names only. */
function shapeOf({ severity, code, message, module, port, net }: Diagnostic): string {
  let shape = message;
  for (const name of [module, port, net]) if (name) shape = shape.replaceAll(name, '…');
  return `${severity} ${code} ${shape.replace(/[`'"][^`'"]*['"]/g, '…').replace(/\d+/g, '…')}`;
}
