import type { Diagnostic } from '../../../contract/diagnostics.ts';
import { type Piece, piecesOf } from '../../languages/verilog/outline-lexer.ts';
import type { ToolFiles } from '../../tool-engine.ts';
import { reportedName } from '../../tool-paths.ts';
import type { Reading } from '../reading.ts';

const MACRO = 'WB_SIGN';

/** Options of slang that define the macro; a comment takes the place of a space, which would end the option. */
export const SIGNED_TYPES = ['-D', `${MACRO}(range)=struct/**/packed/**/signed{logic/**/range/**/wb_bits;}`];

/** `typedef logic signed [7:0]` or `type T = logic signed [7:0]`: a vector that is signed by a name. */
interface SignedType {
  start: number;
  range: readonly [start: number, end: number];
  /** Whether a struct can take its place: its range counts down to 0, and there is no other one. */
  isReplaceable: boolean;
}

function signedTypesOf(text: string, pieces: readonly Piece[]): SignedType[] {
  return pieces.flatMap((sign, at): SignedType[] => {
    const [open, base, second, fourth] = [at + 1, at - 1, at - 2, at - 4].map((n) => pieces[n]);
    if (sign.text !== 'signed' || open?.text !== '[' || !/^(?:logic|reg|bit)$/.test(base?.text ?? ''))
      return [];
    if (second?.text !== 'typedef' && !(second?.text === '=' && fourth?.text === 'type')) return [];
    const close = pieces.findIndex(({ text: mark }, after) => after > at && mark === ']');
    if (!base || close < 0) return [];
    const end = pieces[close]!.end;
    return [
      {
        ...{ start: base.start, range: [open.start, end] },
        isReplaceable:
          /:\s*0\s*\]$/.test(text.slice(open.start, end)) &&
          pieces[close + 1]?.text !== '[' &&
          !text.slice(base.start, open.start).includes('\n'),
      },
    ];
  });
}

const warningAt = (path: string, text: string, { start }: SignedType): Diagnostic => ({
  severity: 'warning',
  code: 'slang_warning',
  message:
    'slang counts bits of a vector with this type as signed, and the standard as unsigned: write {x[3:0]} for x[3:0]',
  ...{ file: reportedName(path), line: text.slice(0, start).split('\n').length },
});

/**
 * Reads a design with structs in place of vectors that are signed by a name. slang takes bits that are selected of such
 * a vector as signed (of others not), so `x[0]` would be -1. Every place in the text stays. Where a struct does not do,
 * the result has a warning.
 * @param read reads the design with these files
 */
export async function withSignedTypes(
  files: ToolFiles,
  read: (files: ToolFiles) => Promise<Reading>,
): Promise<Reading> {
  const types = Object.entries(files).flatMap(([path, contents]) => {
    // One character for each byte, whatever the encoding.
    const text = typeof contents === 'string' ? contents : Buffer.from(contents).toString('latin1');
    if (!/\bsigned\s*\[/.test(text) || !/\btype(?:def)?\b/.test(text)) return [];
    return [{ path, text, isText: typeof contents === 'string', found: signedTypesOf(text, piecesOf(text)) }];
  });
  const warnings = (all: boolean) =>
    types.flatMap(({ path, text, found }) =>
      found.filter(({ isReplaceable }) => all || !isReplaceable).map((one) => warningAt(path, text, one)),
    );
  if (warnings(true).length === 0) return read(files);
  const replaced = types.map(({ path, text, isText, found }) => {
    const result = withStructs(
      text,
      found.filter(({ isReplaceable }) => isReplaceable),
    );
    return [path, isText ? result : Buffer.from(result, 'latin1')] as const;
  });
  const first = await read({ ...files, ...Object.fromEntries(replaced) });
  if (first.read !== null) {
    const design = { ...first.read.design, files: { ...first.read.design.files, ...files } };
    return {
      ...first,
      read: { ...first.read, design },
      diagnostics: [...first.diagnostics, ...warnings(false)],
    };
  }
  // A struct is no base of an enum, for instance.
  const second = await read(files);
  return second.read === null
    ? second
    : { ...second, diagnostics: [...second.diagnostics, ...warnings(true)] };
}

/** The macro with the range as its argument, as long as the type: its bracket moves the range by a character. */
function withStructs(text: string, types: readonly SignedType[]): string {
  let [result, at] = ['', 0];
  for (const { start, range } of types) {
    const macro = `\`${MACRO}(`.padEnd(range[0] - start - 1);
    result += `${text.slice(at, start)}${macro}${text.slice(...range)})`;
    at = range[1];
  }
  return result + text.slice(at);
}
