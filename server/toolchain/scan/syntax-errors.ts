import type { Diagnostic } from '../../contract/diagnostics.ts';
import { inWords, syntaxErrorOf, type UnexpectedToken } from '../diagnostics/syntax-words.ts';
import { otherBrackets } from './brackets.ts';
import { edited } from './edits.ts';
import { macroEdits } from './macros-said.ts';
import { missingBefore } from './missing-text.ts';
import { notRead } from './not-read.ts';
import { beginByIndent, lessLikely } from './one-too-many.ts';
import { otherWords } from './other-words.ts';
import type { PreparedDesign } from './prepared-design.ts';
import {
  firstIn,
  LONGEST,
  lastLine,
  oneALine,
  type SourcePieces,
  shortened,
  shownAt,
  sourcePieces,
} from './source-pieces.ts';
import { reportedName } from './tool-paths.ts';
import { brokenText } from './unclosed.ts';
import { conditionOf } from './uneven-condition.ts';
import { inKnownNames } from './unknown-names.ts';
import { whileOf } from './while-place.ts';
import { headEdits, wrongHead } from './wrong-heads.ts';

/** Texts that are tried in place of a source: each is a run of Yosys, which parses and does nothing else. */
const MOST_TRIED = 16;
/** Bytes of sources that are parsed for it at most, in all runs together: about a second. */
const MOST_PARSED = 3 << 20;

/** What Yosys finds wrong in sources when it parses them; null when it comes to no end. */
type Parse = (source: PreparedDesign) => Promise<readonly Diagnostic[] | null>;

/**
 * A syntax error of Yosys in plain words, with what is probably wrong and its line: a change of the source around the place of
 * the error is taken, so that Yosys comes to a later line.
 * @returns null where the finding is none
 */
export async function inPlainWords(
  finding: Diagnostic,
  source: PreparedDesign,
  errorsIn: Parse,
): Promise<Diagnostic | null> {
  const known = conditionOf(finding, source) ?? whileOf(finding, source) ?? inKnownNames(finding, source);
  if (known) return known;
  const error = syntaxErrorOf(finding.message);
  if (!error) return null;
  const path = Object.keys(source.files).find((one) => reportedName(one) === finding.file);
  const text = path === undefined ? undefined : source.files[path];
  const plain = { ...finding, message: inWords(error) };
  if (path === undefined || typeof text !== 'string' || finding.line === undefined) return plain;
  const atEnd = error.unexpected === 'end of file';
  // Yosys takes the end of a file for its first line.
  const line = atEnd ? lastLine(text) : finding.line;
  const at = { ...plain, line };
  const because = (said: string, where = line) => ({ ...at, line: where, message: `syntax error: ${said}` });
  // A directive `line` makes places of others out of those of the text.
  if (text.length > LONGEST || /`line\b/.test(text)) return at;
  const pieces = sourcePieces(text);
  const broken = brokenText(pieces, line, atEnd);
  if (broken) return because(broken.said, broken.line);
  const parse = parser(source, path, errorsIn);
  const index = atEnd ? pieces.pieces.length : await placeOf(pieces, line, parse);
  const unread = atEnd ? null : notRead(pieces, line, index, error.unexpected);
  if (unread && (unread.sure || index === null)) return because(unread.said, unread.line);
  if (index === null) return at;
  const head = wrongHead(pieces, index, error);
  if (head) return because(head.said, head.line);
  const outside = outsideOfProcesses(error) ?? unknownType(pieces, index, error);
  // What Yosys does not read is told where nothing else is as likely.
  const likely = [
    ...macroEdits(pieces, index),
    ...otherBrackets(pieces, index),
    ...headEdits(pieces, index, error),
    ...beginByIndent(pieces, index),
    ...otherWords(pieces, index),
    ...missingBefore(pieces, index),
  ];
  const edits = unread ? likely : [...likely, ...lessLikely(pieces, index)];
  for (const edit of edits) {
    const errors = await parse(edited(text, edit));
    if (!errors) break;
    const [next] = errors;
    if (!next || isLater(next, at)) return because(edit.said, edit.line);
  }
  if (unread) return because(unread.said, unread.line);
  if (outside) return because(outside);
  return { ...at, message: inWords(error, atEnd ? null : shownAt(pieces, index)) };
}

/** Runs of Yosys on the sources up to one with another text of it, as long as there is room for more; null behind that. */
function parser(source: PreparedDesign, path: string, errorsIn: Parse) {
  const reader = source.units.indexOf(path);
  // Sources behind it say nothing.
  const units = reader < 0 ? source.units : source.units.slice(0, reader + 1);
  const size = units.reduce((sum, unit) => sum + (source.files[unit]?.length ?? 0), 1);
  let left = Math.min(MOST_TRIED, Math.max(2, Math.floor(MOST_PARSED / size)));
  return async (text: string) =>
    left-- > 0 ? errorsIn({ ...source, units, files: { ...source.files, [path]: text } }) : null;
}

/** The index of the piece that was not expected. Null where it is behind a macro, or the line cannot be told apart. */
async function placeOf(
  pieces: SourcePieces,
  line: number,
  parse: (text: string) => Promise<readonly Diagnostic[] | null>,
): Promise<number | null> {
  const apart = oneALine(pieces, line);
  if (!apart) return null;
  const [only, ...others] = apart.starts;
  if (others.length === 0) return only ?? null;
  const first = pieces.lines[firstIn(pieces, line)] === line ? line : null;
  const [error] = (await parse(apart.text)) ?? [];
  return first === null ? null : (apart.starts[(error?.line ?? 0) - first] ?? null);
}

/** Sources are read one after the other, so an error in another one comes later. */
const isLater = (next: Diagnostic, { file, line }: Diagnostic) =>
  next.file !== file || (next.line ?? 0) > (line ?? 0);

/** A name with an assignment behind it can be an instance alone where Yosys reads no statements. */
function outsideOfProcesses({ unexpected, expecting }: UnexpectedToken): string | null {
  const instance = expecting.length === 2 && expecting.includes('TOK_ID') && expecting.includes("'#'");
  return instance && (unexpected === 'OP_LE' || unexpected === "'='")
    ? 'this assignment is in no `always` or `initial` block; a `begin` may be missing above it, or an `assign` before it'
    : null;
}

/** Two names in a row are an instance where the first one is the name of no type that is declared above. */
function unknownType(
  { pieces }: SourcePieces,
  index: number,
  { unexpected, expecting }: UnexpectedToken,
): string | null {
  const [before, type, name] = [index - 3, index - 2, index - 1].map((at) => pieces[at]);
  const declares = /^'[,;=]'$/.test(unexpected) && expecting.includes("'('");
  if (!declares || type?.kind !== 'word' || name?.kind !== 'word') return null;
  if (before !== undefined && !/^(?:[;)]|begin|end\w*|generate)$/.test(before.text)) return null;
  const [shown, own] = [shortened(type.text), shortened(name.text)];
  return `\`${shown}\` is no type that is declared above; were it a module, its instance \`${own}\` would need its ports in brackets`;
}
