import type { Diagnostic } from '../../../contract/diagnostics.ts';
import { Findings } from '../../diagnostics/findings.ts';
import { reportedName } from '../../tool-paths.ts';
import { NAMES, PACKAGE_OF } from './vhdl-name-words.ts';
import { type VhdlSource, vhdlSource } from './vhdl-places.ts';
import { type Asked, type Said, SYNTAX } from './vhdl-syntax-words.ts';

/** Behind these GHDL reads on as if nothing had been: what it finds next counts. */
const READS_ON =
  /^missing ";" at end of |^(?:"<=" or ":=" expected|'<=' is expected) instead of '='$|^extra ';' |^= should be :=|^'==' is not |^Use '\/=' |^misspelling,/;
/** What it says while it parses. */
const PARSING = new RegExp(
  `${READS_ON.source}|\\bexpected\\b.*$|^unexpected token|^extra |\\bnot (?:allowed within|expected here)|must be followed by|^missing entity|^\\(found: |^use parenthesis|^space is required`,
);
/** Of these only the first says something new. */
const MISSED = /^(?:no declaration for|unit) "([^"]+)"/;
/** What may come of a type that is not known. */
const FOLLOWS =
  /^(?:can't match |no function declarations for operator |no overloaded function found |type of expression must be |.* is not visible \(add a use clause\))/;

/**
 * What GHDL finds wrong in plain words, without what only follows from an error before it.
 * @param texts by the names of the files in the findings, as GHDL was given them
 */
export function vhdlInPlainWords(
  findings: readonly Diagnostic[],
  texts: ReadonlyMap<string, string>,
): Diagnostic[] {
  const sources = new Map<string, VhdlSource>();
  const sourceOf = (file: string) => {
    const known = sources.get(file) ?? vhdlSource(texts.get(file) ?? '');
    sources.set(file, known);
    return known;
  };
  const plain = new Findings();
  for (const finding of withoutEchoes(findings)) {
    const { file, line = 0, column = 1, message, severity } = finding;
    const source = sourceOf(file ?? '');
    const said = severity === 'error' ? sayOf({ message, source, line, column, all: texts }) : null;
    plain.add(said ? saidOf(finding, said) : finding);
  }
  return [...plain.all];
}

/** That a unit is in two files, of which GHDL takes the one that it reads last. */
const TWICE = /^(\w+) "([^"]+)" was also defined in file "([^"]+)" \[-Wlibrary\]$/;

/** What GHDL warns of, in plain words. */
export function vhdlWarning(finding: Diagnostic): Diagnostic {
  const [, kind, name, file] = TWICE.exec(finding.message) ?? [];
  if (kind === undefined || file === undefined) return finding;
  const message = `${kind} ${name} is in ${reportedName(file)} as well, and this one is taken: leave one of the two out`;
  return { ...finding, message };
}

/** The finding as it is said; the column of another line is no place. */
function saidOf({ column, ...finding }: Diagnostic, { said, file, line }: Said): Diagnostic {
  const same = file === undefined && (line === undefined || line === finding.line);
  return {
    ...finding,
    message: said,
    ...(file !== undefined && { file }),
    ...(line !== undefined && { line }),
    ...(same && column !== undefined && { column }),
  };
}

function sayOf(asked: Asked): Said | null {
  for (const [pattern, say] of [...SYNTAX, ...NAMES]) {
    const match = pattern.exec(asked.message);
    const said =
      match &&
      say(
        match.map((one) => one ?? ''),
        asked,
      );
    if (said) return typeof said === 'string' ? { said } : said;
  }
  return null;
}

/** Findings without those that follow from others: of one file the parser's first, of one name the first, and no remarks. */
function withoutEchoes(findings: readonly Diagnostic[]): Diagnostic[] {
  const kept: Diagnostic[] = [];
  const lost = new Set<string | undefined>();
  const missed = new Map<string | undefined, Set<string>>();
  for (const finding of findings) {
    const { severity, message, file, line } = finding;
    if (severity !== 'error') {
      kept.push(finding);
      continue;
    }
    const last = kept.at(-1);
    const already = /^previous declaration: (\w+) "/.exec(message);
    if (already && last) {
      kept[kept.length - 1] = {
        ...last,
        message: `${last.message}, as a ${already[1]} in line ${line}: give one of the two another name`,
      };
      continue;
    }
    if (/^\(/.test(message) && last) {
      if (/^\(type of /.test(message))
        kept[kept.length - 1] = { ...last, message: `${last.message} ${message}` };
      continue;
    }
    const parsing = PARSING.test(message);
    if (parsing && lost.has(file)) continue;
    if (parsing && !READS_ON.test(message)) lost.add(file);
    const names = missed.get(file) ?? new Set();
    missed.set(file, names);
    if (FOLLOWS.test(message) && names.size > 0) continue;
    const name = MISSED.exec(message)?.[1];
    if (name !== undefined && names.has(rootOf(name))) continue;
    if (name !== undefined) names.add(rootOf(name));
    if (name === 'ieee') for (const one of ['std_logic_1164', 'numeric_std']) names.add(one);
    kept.push(finding);
  }
  return kept;
}

/** What stands in one package counts as one. */
const rootOf = (name: string): string => PACKAGE_OF[name] ?? name;
