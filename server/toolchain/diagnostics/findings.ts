import { type Diagnostic, MAX_DIAGNOSTICS } from '../../contract/diagnostics.ts';
import { BenchError } from '../../errors/bench-error.ts';

const isError = ({ severity }: Diagnostic) => severity === 'error';

/** Errors first, each group in its order; at most MAX_DIAGNOSTICS. */
export const causeFirst = (diagnostics: readonly Diagnostic[]): Diagnostic[] =>
  [...diagnostics.filter(isError), ...diagnostics.filter((one) => !isError(one))].slice(0, MAX_DIAGNOSTICS);

export const errorsOf = (diagnostics: readonly Diagnostic[]): Diagnostic[] => diagnostics.filter(isError);

/** Findings of one design, each once, at most MAX_DIAGNOSTICS. An error replaces a warning when the list is full. */
export class Findings {
  #found: Diagnostic[] = [];
  readonly #others: Findings | null;

  /** @param others findings, which are read here and never changed */
  constructor(found: readonly Diagnostic[] = [], others: Findings | null = null) {
    this.#others = others;
    this.addAll(found);
  }

  /** All findings in their order. */
  get all(): readonly Diagnostic[] {
    return this.#others ? [...this.#others.all, ...this.#found] : this.#found;
  }

  add(diagnostic: Diagnostic): void {
    const same = (other: Diagnostic) =>
      other.file === diagnostic.file &&
      other.line === diagnostic.line &&
      other.column === diagnostic.column &&
      other.code === diagnostic.code &&
      other.message === diagnostic.message;
    if (this.#found.some(same)) return;
    if (this.#found.length >= MAX_DIAGNOSTICS) {
      const least = this.#found.findLastIndex((one) => !isError(one));
      if (!isError(diagnostic) || least < 0) return;
      this.#found.splice(least, 1);
    }
    this.#found.push(diagnostic);
  }

  /** Adds a place to the last finding, if its message matches and it has no place. */
  placeLast(message: RegExp, place: Pick<Diagnostic, 'file' | 'line' | 'column'>): void {
    const last = this.#found.at(-1);
    if (last === undefined || last.file !== undefined || !message.test(last.message)) return;
    this.#found.pop();
    this.add({ ...last, ...place });
  }

  addAll(diagnostics: readonly Diagnostic[]): void {
    for (const diagnostic of diagnostics) this.add(diagnostic);
  }
}

/** Adds findings to a BenchError that has no diagnostics. Other errors stay as they are. */
export function withFindings(error: unknown, findings: readonly Diagnostic[]): unknown {
  if (!(error instanceof BenchError) || error.diagnostics.length > 0 || findings.length === 0) return error;
  const { code, status, message, remedy, jobId, details } = error;
  return new BenchError(
    code,
    { status, message, remedy },
    {
      diagnostics: causeFirst(findings),
      cause: error,
      ...(jobId !== undefined && { jobId }),
      ...(details && { details }),
    },
  );
}

/** Codes of a tool that did not exit by itself. */
const NO_END = new Set(['tool_deadline', 'tool_crashed', 'tool_memory']);

/** Whether a tool was ended for time or memory, or crashed. Its findings are incomplete then. */
export const wasInterrupted = (error: unknown): error is BenchError =>
  error instanceof BenchError && NO_END.has(error.code);
