import Type from 'typebox';
import { checkOf, parseAs } from '../../../contract/check.ts';
import type { Diagnostic } from '../../../contract/diagnostics.ts';
import { fileReference } from '../../diagnostics/tool-message.ts';
import { reportedName } from '../../tool-paths.ts';

/** One diagnostic of `--diag-json`. Source: slang, `source/diagnostics/JsonDiagnosticClient.cpp`. */
const isReport = checkOf(
  Type.Object({
    severity: Type.String(),
    message: Type.String(),
    /** `file:line:column` */
    location: Type.Optional(Type.String()),
    /** The scope, as `top.u0`. */
    symbolPath: Type.Optional(Type.String()),
  }),
);

/** Advice about slang's options, which a user of the bench cannot set. */
const OPTION_TAIL = / (?:\[--[\w-]+=?\]|\([^()]*'?--[\w-]+[^()]*\))$|; use the --[\w-]+ option .*$/;
const OPTION_NOTE = /'--[\w-]+'/;

/** slang's output for a construct that it does not implement; an error of Yosys follows. */
const SOURCE_LINE = /^Source line (.+?:\d+:\d+): /;
/** slang's assertion that fails when the value of a label has branches of its own. */
const LABEL = /`current_case == parent'/;
const UNIMPLEMENTED = /^ERROR: (?:Feature unimplemented|Assert |Abort in )/;

const LOCATION = /^(?<path>.+):(?<line>\d+):(?<column>\d+)$/;

/** A message that is longer than a line may be. It lacks its end, which would spoil the JSON. */
const CUT_MESSAGE = /^ *"message": "(?!.*",?$)/;
const MAX_MESSAGE = 1000;

/** A module's name; `$unit` is none. */
const PLAIN_NAME = /^[A-Za-z_]/;

const SEVERITIES: Readonly<Record<string, Diagnostic['severity']>> = {
  'fatal error': 'error',
  error: 'error',
  warning: 'warning',
  note: 'info',
};

/**
 * Collects Yosys's output while slang reads, and extracts slang's diagnostics: a JSON array whose brackets, and those of
 * its objects, are on lines of their own. Each object is parsed by itself: a damaged one does not affect the
 * others. For a construct that slang does not implement an error of Yosys follows.
 */
export class SlangOutput {
  #json: string[] | null = null;
  #sourceLine = '';
  readonly #found: Diagnostic[] = [];
  /** The diagnostic that the next notes belong to. */
  #noted: Diagnostic | undefined;
  readonly #failing = new Set<string>();
  readonly #uploaded: readonly string[];

  /** @param uploaded reported names of the sources */
  constructor(uploaded: readonly string[]) {
    this.#uploaded = uploaded;
  }

  /** Tops with errors in them or below them. */
  get failing(): ReadonlySet<string> {
    return this.#failing;
  }

  /** Diagnostics in the order of the output. */
  get diagnostics(): readonly Diagnostic[] {
    return this.#found;
  }

  add(line: string): void {
    if (line === '[' || line === ']') this.#json = line === '[' ? [] : null;
    else if (this.#json === null) {
      this.#sourceLine = SOURCE_LINE.exec(line)?.[1] ?? this.#sourceLine;
      const what = LABEL.test(line) ? ': a call of a function in the label of a case' : '';
      if (UNIMPLEMENTED.test(line))
        this.#report('error', `slang cannot read this construct${what}`, this.#sourceLine);
    } else if (line === '  }' || line === '  },') {
      this.#take([...this.#json, '}'].join('\n'));
      this.#json = [];
    } else {
      const start = line.slice(0, MAX_MESSAGE).replace(/\\+(?:u\w{0,3})?$/, '');
      this.#json.push(CUT_MESSAGE.test(line) ? `${start}…",` : line);
    }
  }

  #take(json: string): void {
    const one = parseAs(json, isReport);
    if (!one) return;
    const severity = SEVERITIES[one.severity];
    if (severity === undefined) return;
    const [top = ''] = one.symbolPath?.split('.') ?? [];
    if (severity === 'error' && PLAIN_NAME.test(top)) this.#failing.add(top);
    const message = one.message.replace(OPTION_TAIL, '');
    if (OPTION_NOTE.test(message)) return;
    if (severity === 'info') this.#note(message, one.location);
    else this.#report(severity, message, one.location);
  }

  /** Adds a note to the diagnostic that it follows. */
  #note(message: string, location = ''): void {
    const last = this.#found.at(-1);
    if (last !== this.#noted || last === undefined) return;
    const { path = '', line, column } = LOCATION.exec(location)?.groups ?? {};
    const file = reportedName(path);
    if (!this.#uploaded.includes(file)) return;
    const note = { message, file, line: Number(line), column: Number(column) };
    this.#noted = { ...last, notes: [...(last.notes ?? []), note] };
    this.#found[this.#found.length - 1] = this.#noted;
  }

  /** @param location `file:line:column` */
  #report(severity: Diagnostic['severity'], message: string, location = ''): void {
    const { path = '', line, column } = LOCATION.exec(location)?.groups ?? {};
    const file = reportedName(path);
    const isPlaced = this.#uploaded.includes(file);
    this.#noted = undefined;
    if (severity !== 'error' && !isPlaced) return;
    const [own, ...others] = this.#uploaded;
    const where = isPlaced
      ? { file, line: Number(line), column: Number(column) }
      : own !== undefined && others.length === 0 && { file: own };
    this.#noted = {
      severity,
      code: `slang_${severity}`,
      message,
      ...where,
      ...fileReference(message),
    };
    this.#found.push(this.#noted);
  }
}
