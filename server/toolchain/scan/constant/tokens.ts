import type { Piece } from '../outline-lexer.ts';

/** Operators of more than one character, the longest first. */
const OPERATORS =
  '<<<= >>>= === !== ==? !=? <<< >>> <<= >>= << >> <= >= == != && || ** ~& ~| ~^ ^~ += -= *= /= %= &= |= ^= ++ -- +: -:'.split(
    ' ',
  );
const LONGEST = 4;

/** The pieces with the characters of an operator in one. */
export function joined(pieces: readonly Piece[]): Piece[] {
  const tokens: Piece[] = [];
  for (let at = 0; at < pieces.length; ) {
    const piece = pieces[at] as Piece;
    const operator = piece.kind === 'mark' ? operatorAt(pieces, at) : null;
    if (operator === null) {
      tokens.push(piece);
      at++;
    } else {
      tokens.push({ ...piece, text: operator, end: piece.start + operator.length });
      at += operator.length;
    }
  }
  return tokens;
}

function operatorAt(pieces: readonly Piece[], at: number): string | null {
  let text = '';
  for (let next = at; next < at + LONGEST; next++) {
    const piece = pieces[next];
    const before = pieces[next - 1];
    if (piece?.kind !== 'mark' || (next > at && before?.end !== piece.start)) break;
    text += piece.text;
  }
  return OPERATORS.find((operator) => text.startsWith(operator)) ?? null;
}

/**
 * Names that are written in another way and mean what the plain one does. Those of the language stay as they are, for they are
 * names when they are escaped.
 */
const PLAIN = /^\\([A-Za-z_][\w$]*)$/;
const RESERVED = new Set(
  'always and assign automatic begin buf bufif0 bufif1 case casex casez cell cmos config deassign default defparam design disable edge else end endcase endconfig endfunction endgenerate endmodule endprimitive endspecify endtable endtask event for force forever fork function generate genvar if ifnone initial inout input instance integer join large liblist library localparam macromodule medium module nand negedge nmos nor not notif0 notif1 or output parameter pmos posedge primitive pull0 pull1 pulldown pullup real realtime reg release repeat rnmos rpmos rtran rtranif0 rtranif1 scalared signed small specify specparam strong0 strong1 supply0 supply1 table task time tran tranif0 tranif1 tri tri0 tri1 triand trior trireg unsigned use vectored wait wand weak0 weak1 while wire wor xnor xor int logic bit byte shortint longint typedef struct union enum package endpackage interface endinterface import return break continue do unique priority'.split(
    ' ',
  ),
);

/** An escaped name as a word: `\u.x`, and `u` for `\u`, which is the same. */
export function unescaped(token: Piece): Piece {
  if (token.kind !== 'other' || !token.text.startsWith('\\') || token.text.length < 2) return token;
  const [, plain] = PLAIN.exec(token.text) ?? [];
  return { ...token, kind: 'word', text: plain === undefined || RESERVED.has(plain) ? token.text : plain };
}
