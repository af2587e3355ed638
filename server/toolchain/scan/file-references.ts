import type { Diagnostic } from '../../contract/diagnostics.ts';
import { SEND_ALONG } from '../diagnostics/tool-message.ts';
import { type CheckedSource, fileReference } from './checked-source.ts';
import { type Language, languageOfName } from './language.ts';
import { Edits, type Token, tokenize } from './lexer.ts';
import { PreprocessorState } from './preprocessor.ts';
import { neutraliseVhdl } from './vhdl.ts';

/** Stands in for a file name that is computed; no file of that name is ever handed to a tool. */
const NO_FILE = '"file-not-in-upload"';

/** What the sources of a project may refer to: each other, and its data. Paths are those of the tools. */
export interface ProjectReferences {
  /** The source or header that `from` means, or null. */
  include(name: string, from: string): string | null;
  /** The same of memory contents. */
  data(name: string, from: string): string | null;
  /** A path at which no tool finds anything, and which says what was looked for, and where. */
  missing(name: string, from: string, line: number): string;
  /** Macros that any of the sources defines. */
  macros: ReadonlySet<string>;
  /** Any of the sources pastes tokens together: a macro of one may do so in another. */
  pastes: boolean;
}

const SENT_ALONE = 'only the files that are sent with a design can be read';

/** A name that can stand in a source as it is, and leads nowhere but into the project. */
const isPlain = (name: string) => /^[\w.+-][\w.+/-]*$/.test(name) && !isHostPath(name);

/** Absolute, of a drive, of a home or a share, or leaving the folder. */
const isHostPath = (name: string) => /^[/\\~]|^[A-Za-z]:|(^|[/\\])\.\.([/\\]|$)|\\/.test(name);

/** Of an expression that gives a file name; what is longer is none. */
const MOST_TOKENS = 100;

/** Nobody reads more. */
const MOST_ERRORS = 50;

/** Must not stand in a part that this check passes over: a tool could see the borders of it elsewhere. */
const SPEAKS_OF_FILES = /`include|\$s?readmem|"DPI/;

/**
 * System names that are harmless wherever they come from, or that Yosys refuses wherever they are elaborated; consulted only
 * where macros paste tokens together.
 */
const HARMLESS = new Set(
  'signed unsigned clog2 bits display write monitor strobe time realtime stime finish stop random urandom error warning info fatal past rose fell stable countones onehot onehot0 size left right high low increment rtoi itor dumpfile dumpvars initstate anyconst anyseq allconst allseq changed sampled global_clock isunknown countbits asserton assertoff assertkill test$plusargs value$plusargs fopen fclose fdisplay fwrite fstrobe fmonitor fflush fscanf sscanf fgets fgetc fread feof ferror fseek ftell rewind swrite'
    .split(' ')
    .map((name) => `$${name}`),
);

/**
 * Takes out of a source what would make a tool open a file other than the source itself, and reports it.
 *
 * The embedded engine's tools see no host file anyway; a native tool would. So the result is made safe by
 * construction, not by the judgement of a pattern: `` `include `` never survives, the file name of
 * `$readmemh` and `$readmemb` is either a plain literal without a way out of the folder or is replaced, and
 * constructs that could spell these in a hidden way (pasted tokens) are errors. Yosys knows no other system task
 * that opens a file: `$fopen` and its kin are errors where they are elaborated. A name replaced in a branch
 * that is never elaborated (`if (INIT_FILE != "") $readmemh(INIT_FILE, …)`, a common idiom) costs nothing;
 * in one that is, the tool reports at that line that the file is not there.
 */
export function neutraliseFileReferences(
  text: string,
  filename: string,
  language: Language,
  project?: ProjectReferences,
): CheckedSource {
  if (language === 'amaranth') return { text, notes: [], diagnostics: [] }; // runs in a sandbox only
  if (language === 'vhdl') return neutraliseVhdl(text, filename);
  // Nothing of what could refer to a file is in most sources.
  if (!/[`$\\]|DPI|translate_|synthesis|pragma/.test(text)) return { text, notes: [], diagnostics: [] };
  return new VerilogCheck(text, filename, project).run();
}

/** Errors for every reference to a file outside the upload; empty when the source is self-contained. */
export function checkFileReferences(source: string, filename: string): Diagnostic[] {
  const language = languageOfName(filename) ?? 'verilog';
  return neutraliseFileReferences(source, filename, language).diagnostics;
}

class VerilogCheck {
  #text: string;
  #filename: string;
  #tokens: Token[];
  #edits = new Edits();
  #diagnostics: Diagnostic[] = [];
  #notes: string[] = [];
  #pastes: boolean;
  #project: ProjectReferences | undefined;

  constructor(text: string, filename: string, project?: ProjectReferences) {
    this.#project = project;
    this.#text = text;
    this.#filename = filename;
    this.#tokens = tokenize(text);
    this.#pastes = project?.pastes ?? this.#tokens.some(({ kind }) => kind === 'paste');
  }

  run(): CheckedSource {
    const state = new PreprocessorState(this.#project?.macros);
    // With errors the source is given to no tool: what comes after so many need not be looked at.
    for (let at = 0; at < this.#tokens.length && this.#diagnostics.length < MOST_ERRORS; at++) {
      const token = this.#tokens[at]!;
      if (token.kind === 'comment') {
        const off = state.comment(token);
        if (off !== null) this.#edits.replace(off, token.start);
        if (SPEAKS_OF_FILES.test(token.text)) this.#edits.replace(token.start, token.end);
        continue;
      }
      if (token.kind === 'directive' && state.directive(token, this.#after(at))) continue;
      this.#check(token, at, state);
    }
    if (state.hiddenFrom !== null) this.#edits.replace(state.hiddenFrom, this.#text.length);
    return { text: this.#edits.apply(this.#text), notes: this.#notes, diagnostics: this.#diagnostics };
  }

  #check(token: Token, at: number, state: PreprocessorState): void {
    const active = state.active;
    if (token.kind === 'directive' && token.text === '`include') this.#include(token, at, active);
    else if (token.kind === 'system' && /^\$s?readmem[hb]$/.test(token.text))
      this.#readmem(token, at, active);
    else if (token.kind === 'string' && /^"DPI(-C)?"?$/.test(token.text)) {
      if (active)
        this.#error(token, 'functions of the host (DPI) cannot be called from a design on the bench');
      else this.#edits.replace(token.start, token.end, '""');
    } else if (['string', 'escaped', 'other'].includes(token.kind) && SPEAKS_OF_FILES.test(token.text)) {
      if (token.kind === 'string')
        this.#edits.replace(token.start, token.end, token.text.replace(/[`$\n]/g, ' ').replaceAll('  ', ' '));
      else this.#error(token, `${token.text.slice(0, 40)} reads like a reference to another file`);
    } else if (this.#pastes) this.#checkPasting(token, at, state);
  }

  #include(token: Token, at: number, active: boolean): void {
    const name = this.#after(at);
    const literal = name?.kind === 'string' ? name.text.replaceAll('"', '') : null;
    let end = token.end;
    if (name && (name.kind === 'string' || name.kind === 'directive')) end = name.end;
    else if (name?.text === '<') {
      const line = this.#text.indexOf('\n', name.end);
      end = line < 0 ? this.#text.length : line;
    }
    const found = literal === null ? null : (this.#project?.include(literal, this.#filename) ?? null);
    if (found !== null) {
      this.#edits.replace(token.start, end, `\`include "${found}"`);
      return;
    }
    const timescale = literal !== null && /^[\w.-]*timescale[\w.-]*$/i.test(literal);
    // Which branches of a project are live depends on its other files: the tool knows, and reports what it misses.
    if (this.#project && !timescale) {
      const named = literal !== null && isPlain(literal) ? literal : '';
      const nowhere = this.#project.missing(named, this.#filename, token.line);
      this.#edits.replace(token.start, end, `\`include "${nowhere}"`);
      return;
    }
    this.#edits.replace(token.start, end);
    if (!active) return;
    // Old cores include a file with nothing but a time scale, which synthesis ignores.
    if (timescale)
      this.#notes.push(
        `line ${token.line}: \`include "${literal}" was left out; synthesis needs no time scale`,
      );
    else
      this.#error(
        token,
        `\`include ${literal === null ? 'of another file' : `"${literal}"`}: ${literal !== null && isPlain(literal) ? SEND_ALONG : SENT_ALONE}`,
      );
  }

  /** `$readmemh(FILE, …`: the first argument, up to its comma or closing bracket. */
  #readmem(token: Token, at: number, active: boolean): void {
    const open = this.#afterIndex(at);
    if (open === null || this.#tokens[open]!.text !== '(') {
      if (active) this.#error(token, `${token.text} without its file name in place cannot be checked`);
      this.#edits.replace(token.start, token.end, '$display');
      return;
    }
    let depth = 0;
    let end = open + 1;
    const farthest = Math.min(this.#tokens.length, end + MOST_TOKENS);
    for (; end < farthest; end++) {
      const { text } = this.#tokens[end]!;
      if ('([{'.includes(text)) depth++;
      else if (')]}'.includes(text)) {
        if (depth-- === 0) break;
      } else if (text === ',' && depth === 0) break;
    }
    if (end - open > MOST_TOKENS) this.#error(token, `the file name of ${token.text} is no name`);
    const from = this.#tokens[open]?.end ?? token.end;
    const to = this.#tokens[end]?.start ?? this.#text.length;
    const comments = this.#tokens.slice(open + 1, end).filter(({ kind }) => kind === 'comment');
    // Numbers and operators are no tokens, and a name can be made of them: what counts is the text itself.
    const name = comments
      .reduce((text, { text: comment }) => text.replace(comment, ' '), this.#text.slice(from, to))
      .trim();
    if (name === '') return; // no file name: the tool will say so
    const only = /^"([^"\n]*)"$/.exec(name)?.[1] ?? null;
    if (this.#project) {
      const found = only === null ? null : this.#project.data(only, this.#filename);
      const plain = only !== null && isPlain(only);
      const named = found ?? (plain ? this.#project.missing(only, this.#filename, token.line) : null);
      if (named !== null) this.#edits.replace(from, to, `"${named}"`);
      // A computed name reaches nothing but the files of the project.
      if (named !== null || only === null) return;
    } else if (only !== null && !isHostPath(only)) return;
    if (only !== null && active)
      this.#error(token, `${token.text} of "${only}": ${isPlain(only) ? SEND_ALONG : SENT_ALONE}`);
    this.#edits.replace(from, to, NO_FILE);
  }

  /** Where macros paste tokens together, a system name or directive must not come out of the pasting. */
  #checkPasting(token: Token, at: number, state: PreprocessorState): void {
    const suspect =
      (token.kind === 'paste' &&
        ['system', 'directive'].includes(this.#tokens[at - 1]?.kind ?? '') &&
        this.#tokens[at - 1]!.end === token.start) ||
      (token.kind === 'system' && !HARMLESS.has(token.text)) ||
      (token.kind === 'directive' && !state.knows(token.text.slice(1)));
    if (suspect)
      this.#error(token, `${token.text} together with token pasting (\`\`) could name another file`);
  }

  #afterIndex(at: number): number | null {
    for (let next = at + 1; next < this.#tokens.length; next++)
      if (!['comment', 'newline'].includes(this.#tokens[next]!.kind)) return next;
    return null;
  }

  #after(at: number): Token | undefined {
    const next = this.#afterIndex(at);
    return next === null ? undefined : this.#tokens[next];
  }

  #error(token: Token, message: string): void {
    this.#diagnostics.push(fileReference(this.#filename, token.line, message));
  }
}
