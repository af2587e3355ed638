import type { Diagnostic } from '../../contract/diagnostics.ts';
import { closingOf } from './brackets.ts';
import { declaredIn } from './declared-names.ts';
import { nearest } from './near-names.ts';
import type { PreparedDesign } from './prepared-design.ts';
import { LONGEST, type SourcePieces, shortened, sourcePieces } from './source-pieces.ts';
import { reportedName } from './tool-paths.ts';
import { oddNumber } from './unclosed.ts';

const DIRECTIVES =
  'include define undef ifdef ifndef elsif else endif timescale default_nettype resetall line celldefine endcelldefine'.split(
    ' ',
  );

/** Directives of the language that Yosys does not read, and that change nothing of a circuit. */
const NOT_READ = new Set(
  'pragma begin_keywords end_keywords unconnected_drive nounconnected_drive default_decay_time default_trireg_strength'.split(
    ' ',
  ),
);

interface Source {
  path: string;
  source: SourcePieces;
}

interface Definition {
  name: string;
  path: string;
  line: number;
  /** Names in the brackets behind it; 0 where there are none. */
  arguments: number;
}

/**
 * What Yosys says of a macro or a name that it does not know, with its place, where it is defined and what else may be meant.
 * @returns null for any other finding
 */
export function inKnownNames(finding: Diagnostic, design: PreparedDesign): Diagnostic | null {
  return (
    unknownMacro(finding, design) ??
    macroArguments(finding, design) ??
    unknownName(finding, design) ??
    oddDigit(finding, design) ??
    secondModule(finding, design) ??
    ownRefusal(finding, design)
  );
}

/** A module that another file has as well: which one. */
function secondModule(finding: Diagnostic, design: PreparedDesign): Diagnostic | null {
  const [, name] = /^module (\w+) is defined a second time: /.exec(finding.message) ?? [];
  const first = sourcesOf(design).find(
    ({ path, source: { pieces } }) =>
      reportedName(path) !== finding.file &&
      pieces.some(({ text }, at) => text === name && pieces[at - 1]?.text === 'module'),
  );
  return name !== undefined && first
    ? {
        ...finding,
        message: `module ${name} is in ${reportedName(first.path)} as well: leave one of the two out`,
      }
    : null;
}

/** A number with a digit that its base has not. */
function oddDigit(finding: Diagnostic, design: PreparedDesign): Diagnostic | null {
  if (!/^(?:Invalid use of \[|Digit larger than |Non-decimal digit )/.test(finding.message)) return null;
  const text = textFor(finding, design);
  if (text === null) return null;
  const odd = oddNumber(sourcePieces(text), finding.line ?? 0);
  return odd && { ...finding, message: odd.said };
}

/** What the design itself says by `$error` or `$fatal` outside of processes. */
function ownRefusal(finding: Diagnostic, design: PreparedDesign): Diagnostic | null {
  const text = textFor(finding, design);
  if (text === null || finding.message === '') return null;
  const { pieces, lines } = sourcePieces(text);
  const own = pieces.some(
    (piece, at) =>
      lines[at] === finding.line &&
      /^\$(?:error|fatal)$/.test(piece.text) &&
      pieces.slice(at, at + 6).some((one) => one.text === `"${finding.message.replace(/\.$/, '')}"`),
  );
  return own
    ? {
        ...finding,
        message: `the design itself refuses to be built with these parameters: ${finding.message}`,
      }
    : null;
}

/** The source that a finding is of; null where it is none, or too large to be looked through. */
function textFor({ file }: Diagnostic, { files }: PreparedDesign): string | null {
  const path = Object.keys(files).find((one) => reportedName(one) === file);
  const text = path === undefined ? undefined : files[path];
  return typeof text === 'string' && text.length <= LONGEST ? text : null;
}

function sourcesOf({ files, units }: PreparedDesign): Source[] {
  return [...new Set([...units, ...Object.keys(files)])].flatMap((path) => {
    const text = files[path];
    return typeof text === 'string' && text.length <= LONGEST ? [{ path, source: sourcePieces(text) }] : [];
  });
}

const definitionsIn = ({ path, source: { pieces, lines } }: Source): Definition[] =>
  pieces.flatMap(({ kind, text }, at) => {
    const [, name, given] = (kind === 'directive' && /^`define\s+(\w+)(\([^()]*\))?/.exec(text)) || [];
    return name === undefined
      ? []
      : [{ name, path, line: lines[at] ?? 1, arguments: given ? given.split(',').length : 0 }];
  });

function unknownMacro(finding: Diagnostic, design: PreparedDesign): Diagnostic | null {
  const [, name] =
    /^Unimplemented compiler directive or undefined macro `(\w+)\.?$/.exec(finding.message) ?? [];
  if (name === undefined) return null;
  const said = (rest: string) => ({ ...finding, message: `\`${shortened(name)} ${rest}` });
  const directive = nearest(name, DIRECTIVES);
  const sources = sourcesOf(design);
  const all = sources.flatMap(definitionsIn);
  const own = all.find((one) => one.name === name);
  const where = ({ path, line }: Definition) =>
    `line ${line}${reportedName(path) === finding.file ? '' : ` of ${reportedName(path)}`}`;
  const conditional = own && own.path === pathOf(finding, sources) && conditionAround(own, sources);
  if (own && conditional && own.line < (finding.line ?? 0))
    return said(`is not defined: its definition in ${where(own)} counts only where ${conditional} holds`);
  if (own)
    return said(`is not defined here: its definition in ${where(own)} has to stand above its first use`);
  if (/^(?:pragma|protected?)$/.test(name) && isProtected(finding, design))
    return {
      ...finding,
      message:
        'this part is encrypted, and the tools of its maker alone can read it: leave its file out, or write a module of your own in its place',
    };
  if (NOT_READ.has(name))
    return said('is not read by Yosys: take it out, for it changes nothing of the circuit');
  const near = nearest(
    name,
    all.map((one) => one.name),
  );
  const meant = all.find((one) => one.name === near);
  if (meant) return said(`is not defined; perhaps \`${meant.name} is meant, which ${where(meant)} defines`);
  if (directive !== null) return said(`is no directive; perhaps \`${directive} is meant`);
  const constant = sources.some(({ source: { pieces } }) =>
    pieces.some(
      ({ text }, at) =>
        text === name &&
        /^(?:parameter|localparam|integer|\])$/.test(pieces[at - 1]?.text ?? '') &&
        pieces[at + 1]?.text === '=',
    ),
  );
  return said(
    constant
      ? 'is no macro: a parameter has that name, and is written without the back-tick'
      : 'is not defined: define it above its first use, or include the header that does',
  );
}

/** Whether what stands at a finding begins an encrypted part. */
function isProtected(finding: Diagnostic, design: PreparedDesign): boolean {
  const line = textFor(finding, design)?.split('\n')[(finding.line ?? 1) - 1] ?? '';
  return /`(?:pragma\s+protect|protected?)\b/.test(line);
}

const pathOf = ({ file }: Diagnostic, sources: readonly Source[]): string | undefined =>
  sources.find(({ path }) => reportedName(path) === file)?.path;

/** The condition of the preprocessor around a definition, with its line; null where there is none. */
function conditionAround({ path, line }: Definition, sources: readonly Source[]): string | null {
  const open: string[] = [];
  const own = sources.find((one) => one.path === path)?.source;
  for (const [at, { kind, text }] of own?.pieces.entries() ?? []) {
    if ((own?.lines[at] ?? 0) >= line) break;
    if (kind !== 'directive') continue;
    const [, condition] = /^`(ifn?def\s+\w+)/.exec(text) ?? [];
    if (condition !== undefined) open.push(`\`${condition} of line ${own?.lines[at]}`);
    if (/^`endif\b/.test(text)) open.pop();
    if (/^`els(?:e|if)\b/.test(text) && open.length > 0)
      open[open.length - 1] = `the \`${/^`(\w+)/.exec(text)?.[1]} of line ${own?.lines[at]}`;
  }
  return open.at(-1) ?? null;
}

/** A macro that is used with fewer arguments than its definition has, of which Yosys says no place. */
function macroArguments(finding: Diagnostic, design: PreparedDesign): Diagnostic | null {
  const [, without] =
    /^Expected to find '\(' to begin macro arguments for '(\w+)'/.exec(finding.message) ?? [];
  const [, few, given] =
    /^Cannot expand macro `(\w+) by giving only (\d+) argument/.exec(finding.message) ?? [];
  const name = without ?? few;
  if (name === undefined) return null;
  const sources = sourcesOf(design);
  const definition = sources.flatMap(definitionsIn).find((one) => one.name === name);
  if (!definition) return null;
  for (const { path, source } of sources) {
    const { pieces, lines } = source;
    const at = pieces.findIndex(({ kind, text }, at) => {
      if (kind !== 'macro' || text !== `\`${name}`) return false;
      const bare = pieces[at + 1]?.text !== '(';
      return few === undefined ? bare : !bare && argumentsAt(source, at + 1) === Number(given);
    });
    if (at < 0) continue;
    const [takes, has] = [counted(definition.arguments), few === undefined ? 'none' : given];
    return {
      ...finding,
      file: reportedName(path),
      line: lines[at] ?? 1,
      message: `the macro \`${shortened(name)} takes ${takes} by its definition in line ${definition.line}, and is given ${has} here`,
    };
  }
  return null;
}

const counted = (number: number) => `${number} argument${number === 1 ? '' : 's'} in brackets`;

function argumentsAt({ pieces }: SourcePieces, open: number): number {
  const close = closingOf(pieces, open);
  let commas = 0;
  for (let at = open + 1; at < close; at++) {
    if (/^[([{]$/.test(pieces[at]?.text ?? '')) at = Math.max(at, closingOf(pieces, at));
    else if (pieces[at]?.text === ',') commas++;
  }
  return close < 0 ? 0 : commas + 1;
}

/** What Yosys says of a name whose value it needs and that is declared nowhere. */
const UNKNOWN: readonly RegExp[] = [
  /^Failed to resolve identifier \\(\w+) for width detection!$/,
  /^Can't resolve (?:function|task) name [`']\\(\w+)['`]\.?$/,
];
const IN_RANGE = /^Non-constant range in declaration of \\?(\S+?)$/;

function unknownName(finding: Diagnostic, design: PreparedDesign): Diagnostic | null {
  const text = textFor(finding, design);
  if (text === null || /`line\b/.test(text)) return null;
  const [, declaring] = IN_RANGE.exec(finding.message) ?? [];
  const name = UNKNOWN.map((pattern) => pattern.exec(finding.message)?.[1]).find((one) => one !== undefined);
  if (name === undefined && declaring === undefined) return null;
  const source = sourcePieces(text);
  // What another file declares for all counts as well.
  const declared = new Set(sourcesOf(design).flatMap((one) => [...declaredIn(one.source).keys()]));
  const macros = new Set(
    sourcesOf(design)
      .flatMap(definitionsIn)
      .map((one) => one.name),
  );
  const said = (message: string) => ({ ...finding, message });
  if (declaring !== undefined) {
    const odd = source.pieces.find(
      ({ kind, text }, at) =>
        kind === 'word' &&
        source.lines[at] === finding.line &&
        isBound(source, at) &&
        !isQualified(source, at) &&
        !declared.has(text),
    );
    // What is in a function has its place in front of its name.
    const shown = shortened(declaring.replace(/^.*\$func\$.*\./, ''));
    const bounds = `the bounds of \`${shown}\` are no constants`;
    if (!odd) return said(`${bounds}: use numbers and parameters alone, for a signal has no value yet`);
    return said(`${bounds}: ${ofName(odd.text, declared, macros)}`);
  }
  if (name === undefined) return null;
  const call = /^Can't resolve (function|task)/.exec(finding.message)?.[1];
  if (declared.has(name))
    return call === undefined
      ? null
      : said(
          `\`${shortened(name)}\` is no ${call} that can be called here; if it is a vector or an array, its index has to stand in \`[ ]\`, not in \`( )\``,
        );
  const label = labels(source, name, finding.line ?? 0) ? ['default'] : [];
  const near = nearest(name, label);
  if (near !== null) return said(`\`${shortened(name)}\` is declared nowhere; perhaps \`${near}\` is meant`);
  if (call === undefined) return said(ofName(name, declared, macros));
  const like = nearest(name, declared);
  return said(
    `there is no ${call} \`${shortened(name)}\`${like === null ? '' : `; perhaps \`${like}\` is meant`}`,
  );
}

function ofName(name: string, declared: ReadonlySet<string>, macros: ReadonlySet<string>): string {
  const shown = shortened(name);
  if (macros.has(name))
    return `\`${shown}\` is a macro, and has to be written with a back-tick: \`\`${shown}\``;
  const near = nearest(name, declared);
  return `\`${shown}\` is declared nowhere${near === null ? '' : `; perhaps \`${near}\` is meant`}`;
}

/** Whether a name is one of a package or of what is in an instance, or is that of it. */
function isQualified({ pieces }: SourcePieces, index: number): boolean {
  const [before, behind] = [pieces.slice(index - 2, index), pieces.slice(index + 1, index + 3)];
  const joins = (marks: typeof before) => marks.map(({ text }) => text).join('') === '::';
  return joins(before) || joins(behind) || before.at(-1)?.text === '.' || behind[0]?.text === '.';
}

/** Whether a piece stands in brackets in front of what they belong to. */
function isBound({ pieces }: SourcePieces, index: number): boolean {
  let at = index;
  while (at >= 0 && !/^[[\];]$/.test(pieces[at]?.text ?? '')) at--;
  return pieces[at]?.text === '[';
}

/** Whether a name begins a branch of a `case` in a line. */
const labels = ({ pieces, lines }: SourcePieces, name: string, line: number): boolean =>
  pieces.some(
    ({ text }, at) =>
      text === name &&
      lines[at] === line &&
      pieces[at + 1]?.text === ':' &&
      /^(?:[;)]|end)$/.test(pieces[at - 1]?.text ?? ''),
  );
