import type { Diagnostic } from '../../../contract/diagnostics.ts';
import { Findings } from '../../diagnostics/findings.ts';
import { shortened } from '../../languages/verilog/source-pieces.ts';
import { tokenFrom, type VhdlSource, vhdlSource } from '../../languages/vhdl/vhdl-places.ts';
import { reportedName } from '../../tool-paths.ts';
import { type Groups, HINTS, MARK, PACKAGE_OF } from './hint-table.ts';
import { incomplete } from './incomplete.ts';

/** Syntax errors after which GHDL reads on correctly: its next error counts. */
const CONTINUES_AFTER =
  /^missing ";" at end of |^(?:"<=" or ":=" expected|'<=' is expected) instead of '='$|^extra ';' |^= should be :=|^'==' is not |^Use '\/=' |^misspelling,/;
/** All syntax errors of GHDL. */
const PARSING = new RegExp(
  `${CONTINUES_AFTER.source}|\\bexpected\\b.*$|^unexpected token|^extra |\\bnot (?:allowed within|expected here)|must be followed by|^missing entity|^\\(found: |^use parenthesis|^space is required`,
);
/** Errors that count once for each name. */
const MISSED = /^(?:no declaration for|unit) "([^"]+)"/;
/** Errors that may follow from an unknown type. */
const FOLLOWS =
  /^(?:can't match |no function declarations for operator |no overloaded function found |type of expression must be |.* is not visible \(add a use clause\))/;

/** GHDL's warning for a unit in two files; it takes the one that it reads last. */
const TWICE = /^(\w+) "([^"]+)" was also defined in file "([^"]+)" \[-Wlibrary\]$/;

/** Tokens before and after an error that the hints see. */
const BEFORE = 40;
const AFTER = 8;

/**
 * Rewrites GHDL's errors in plain words, and removes those that only follow from an earlier one.
 * @param texts that GHDL read, by reported name
 */
export function vhdlInPlainWords(
  findings: readonly Diagnostic[],
  texts: ReadonlyMap<string, string>,
): Diagnostic[] {
  const sources = new Map<string, VhdlSource>();
  const plain = new Findings();
  for (const finding of withoutEchoes(findings)) {
    const { file = '', severity } = finding;
    const source = sources.get(file) ?? vhdlSource(texts.get(file) ?? '');
    sources.set(file, source);
    plain.add(severity === 'error' ? hinted(finding, source, texts) : finding);
  }
  return [...plain.all];
}

/** Rewrites a warning of GHDL in plain words. */
export function vhdlWarning(finding: Diagnostic): Diagnostic {
  const [, kind, name, file] = TWICE.exec(finding.message) ?? [];
  if (kind === undefined || file === undefined) return finding;
  const message = `${kind} ${name} is also in ${reportedName(file)}, but this one is used: remove one of the two`;
  return { ...finding, message };
}

/** Line of the first match in a text. */
const lineOf = (what: RegExp, text: string): number | undefined => {
  const [before] = what.test(text) ? text.split(what, 1) : [];
  return before?.split('\n').length;
};

/** Rewrites an error by the table; an unknown one stays as it is. */
function hinted(found: Diagnostic, source: VhdlSource, texts: ReadonlyMap<string, string>): Diagnostic {
  const [, whole] = /^entity "([^"]+)" cannot be at the top of a design$/.exec(found.message) ?? [];
  if (whole !== undefined) return { ...found, ...incomplete(whole.toLowerCase(), texts) };
  const at = tokenFrom(source, found.line ?? 1, found.column ?? 1);
  const words = source.tokens.map(({ text }) => shortened(text));
  const around = [
    ...words.slice(Math.max(0, at - BEFORE), at),
    MARK,
    ...words.slice(at, at + AFTER),
    '',
  ].join(' ');
  for (const [pattern, near, sentence, where] of HINTS) {
    const message = pattern.exec(found.message);
    const context = message && near.exec(around);
    if (!message || !context) continue;
    const groups: Groups = { ...message.groups, ...context.groups };
    const text =
      typeof sentence === 'string'
        ? sentence.replace(/\$<(\w+)>/g, (_, name: string) => shortened(groups[name] ?? ''))
        : sentence(groups, source.text);
    if (text === null) continue;
    const { column, ...place } = found;
    const line =
      (where === 'before' ? source.tokens[at - 1]?.line : where && lineOf(where(groups), source.text)) ??
      found.line;
    return {
      ...place,
      message: text,
      ...(line !== undefined && { line }),
      ...(line === found.line && column !== undefined && { column }),
    };
  }
  return found;
}

/** Removes diagnostics that follow from others: for each file only its first syntax error, for each name its first. */
function withoutEchoes(findings: readonly Diagnostic[]): Diagnostic[] {
  const rest: Diagnostic[] = [];
  const lost = new Set<string | undefined>();
  const missed = new Map<string | undefined, Set<string>>();
  for (const finding of findings) {
    const { severity, message, file, line } = finding;
    if (severity !== 'error') {
      rest.push(finding);
      continue;
    }
    const last = rest.at(-1);
    const already = /^previous declaration: (\w+) "/.exec(message);
    if (already && last) {
      rest[rest.length - 1] = {
        ...last,
        message: `${last.message}, as a ${already[1]} in line ${line}: give one of the two another name`,
      };
      continue;
    }
    if (/^\(/.test(message) && last) {
      if (/^\(type of /.test(message))
        rest[rest.length - 1] = { ...last, message: `${last.message} ${message}` };
      continue;
    }
    const parsing = PARSING.test(message);
    if (parsing && lost.has(file)) continue;
    if (parsing && !CONTINUES_AFTER.test(message)) lost.add(file);
    const names = missed.get(file) ?? new Set();
    missed.set(file, names);
    if (FOLLOWS.test(message) && names.size > 0) continue;
    const name = MISSED.exec(message)?.[1];
    if (name !== undefined && names.has(rootOf(name))) continue;
    if (name !== undefined) names.add(rootOf(name));
    if (name === 'ieee') for (const one of ['std_logic_1164', 'numeric_std']) names.add(one);
    rest.push(finding);
  }
  return rest;
}

/** The package of a name, which counts as one; else the name. */
const rootOf = (name: string): string => PACKAGE_OF[name] ?? name;
