import { type Diagnostic, MAX_DIAGNOSTICS } from '../../contract/diagnostics.ts';
import { BenchError } from '../../errors/bench-error.ts';

const isError = ({ severity }: Diagnostic) => severity === 'error';

/** Errors first, each group in the order in which it was found, and no more than may travel with one failure. */
export const causeFirst = (diagnostics: readonly Diagnostic[]): Diagnostic[] =>
  [...diagnostics.filter(isError), ...diagnostics.filter((one) => !isError(one))].slice(0, MAX_DIAGNOSTICS);

export const errorsOf = (diagnostics: readonly Diagnostic[]): Diagnostic[] => diagnostics.filter(isError);

/** What the tools have found in one design: each finding once, MAX_DIAGNOSTICS at most, and errors above all. */
export class Findings {
  #found: Diagnostic[] = [];
  readonly #beside: Findings | null;

  /** @param beside others that are found meanwhile: they are read here, and nothing is added to them */
  constructor(found: readonly Diagnostic[] = [], beside: Findings | null = null) {
    this.#beside = beside;
    this.addAll(found);
  }

  /** In the order in which they were found. */
  get all(): readonly Diagnostic[] {
    return this.#beside ? [...this.#beside.all, ...this.#found] : this.#found;
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

  /** Says where the finding is that came last, if it fits and says nothing of its place itself. */
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

/** An error with what was found until it happened; what is no BenchError, or says itself what was found, stays as it is. */
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

/** How a tool ends that has come to no end by itself. */
const NO_END = new Set(['tool_deadline', 'tool_crashed', 'tool_memory']);

/** Whether a tool was ended, for its time or memory, or crashed: it has not said what is wrong then. */
export const wasInterrupted = (error: unknown): error is BenchError =>
  error instanceof BenchError && NO_END.has(error.code);
