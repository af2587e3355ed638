import Type from 'typebox';
import { checkOf, parseAs } from '../../../contract/check.ts';
import type { Diagnostic } from '../../../contract/diagnostics.ts';
import { fileReference } from '../../diagnostics/tool-message.ts';
import { reportedName } from '../../scan/tool-paths.ts';

/** One diagnostic as slang writes it with `--diag-json`. Source: slang, `source/diagnostics/JsonDiagnosticClient.cpp`. */
const isReport = checkOf(
  Type.Array(
    Type.Object({
      severity: Type.String(),
      message: Type.String(),
      /** `file:line:column` */
      location: Type.Optional(Type.String()),
      optionName: Type.Optional(Type.String()),
      /** The scope, as `top.u0`. */
      symbolPath: Type.Optional(Type.String()),
    }),
  ),
);

const LOCATION = /^(?<path>.+):(?<line>\d+):(?<column>\d+)$/;

/** Source: yosys-slang (sv-elab), `slang_frontend.cc`, `unimplemented_`. */
const SOURCE_LINE = /^Source line (?<path>[^:]+):(?<line>\d+):(?<column>\d+):/;
const UNIMPLEMENTED = /^ERROR: Feature unimplemented/;

/** `$unit` is no module. */
const PLAIN_NAME = /^[A-Za-z_]/;

const SEVERITIES: Readonly<Record<string, Diagnostic['severity']>> = {
  'fatal error': 'error',
  error: 'error',
  warning: 'warning',
  note: 'info',
};

/**
 * Collects the lines that Yosys prints while slang reads, and takes slang's diagnostics out of them: a JSON array whose brackets
 * stand on lines of their own. What slang says itself of what it cannot synthesise comes as errors of Yosys behind it.
 */
export class SlangOutput {
  #json: string[] | null = null;
  readonly #found: Diagnostic[] = [];
  readonly #failing = new Set<string>();
  #unimplemented: Pick<Diagnostic, 'file' | 'line' | 'column'> = {};
  readonly #uploaded: readonly string[];

  /** @param uploaded names of the sources, as their author knows them */
  constructor(uploaded: readonly string[]) {
    this.#uploaded = uploaded;
  }

  /** Tops in which errors were found, in them or below them. */
  get failing(): ReadonlySet<string> {
    return this.#failing;
  }

  /** In the order of the sources. */
  get diagnostics(): readonly Diagnostic[] {
    return this.#found;
  }

  add(line: string): void {
    if (this.#json === null) {
      if (line === '[') this.#json = [line];
      else this.#addUnimplemented(line);
      return;
    }
    this.#json.push(line);
    if (line !== ']') return;
    for (const one of parseAs(this.#json.join('\n'), isReport) ?? []) {
      const severity = SEVERITIES[one.severity];
      const { path = '', line: row, column } = LOCATION.exec(one.location ?? '')?.groups ?? {};
      const file = reportedName(path);
      const isPlaced = this.#uploaded.includes(file);
      const [top = ''] = one.symbolPath?.split('.') ?? [];
      if (severity === 'error' && PLAIN_NAME.test(top)) this.#failing.add(top);
      if (severity === undefined || (severity !== 'error' && !isPlaced)) continue;
      this.#found.push({
        severity,
        code: `slang_${severity === 'info' ? 'note' : severity}`,
        message: one.message,
        ...(isPlaced && { file, line: Number(row), column: Number(column) }),
        ...fileReference(one.message),
      });
    }
    this.#json = null;
  }

  /** slang reads all of the language; what it does not synthesise it says by a line of the source, and ends. */
  #addUnimplemented(line: string): void {
    const { path = '', line: row, column } = SOURCE_LINE.exec(line)?.groups ?? {};
    if (row !== undefined)
      this.#unimplemented = { file: reportedName(path), line: Number(row), column: Number(column) };
    if (UNIMPLEMENTED.test(line))
      this.#found.push({
        severity: 'error',
        code: 'slang_error',
        message: 'this construct is not synthesised by slang: write it in another way',
        ...this.#unimplemented,
      });
  }
}
