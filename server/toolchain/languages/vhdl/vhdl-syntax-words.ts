import { shortened } from '../verilog/source-pieces.ts';
import { openBlocks, tokenFrom, type VhdlSource } from './vhdl-places.ts';

/** What is said of an error, and where where that is another place. */
export interface Said {
  said: string;
  file?: string;
  line?: number;
}

/** What a message of GHDL is about. */
export interface Asked {
  message: string;
  source: VhdlSource;
  line: number;
  column: number;
  /** All sources by their names. */
  all: ReadonlyMap<string, string>;
}

/** A message of GHDL, and what is to be said in its place; null where its own words are as good. */
export type Wording = readonly [
  pattern: RegExp,
  say: (parts: readonly string[], asked: Asked) => string | Said | null,
];

const BLOCKS = /^(?:if|case|loop|process|generate|block)$/;
const textAt = ({ source: { tokens } }: Asked, at: number) => tokens[at]?.text ?? '';
const lineAt = ({ source: { tokens } }: Asked, at: number) => tokens[at]?.line ?? 1;
const lineOf = ({ source: { text }, line }: Asked) => text.split('\n')[line - 1] ?? '';
const placed = (asked: Asked) => tokenFrom(asked.source, asked.line, asked.column);

/** Something that is missing behind the token before one. */
function missing(asked: Asked, at: number, what: string, why = ''): Said {
  const line = lineAt(asked, at - 1);
  const next = shortened(textAt(asked, at));
  const before = next === '' ? '' : `, before \`${next}\``;
  const where = lineAt(asked, at) === line && next !== '' ? `in line ${line}` : `at the end of line ${line}`;
  return {
    line,
    said: `${/^[aeiou]/.test(what) ? 'an' : 'a'} \`${what}\` is missing ${where}${before}${why}`,
  };
}

/** What stands at a place and is written otherwise in VHDL; null where nothing of the kind does. */
function foreign(asked: Asked, from: number): Said | null {
  for (let at = Math.max(0, from - 2); at <= from + 1; at++) {
    const [now, next] = [textAt(asked, at), textAt(asked, at + 1)];
    const adjacent =
      asked.source.tokens[at + 1]?.start === (asked.source.tokens[at]?.start ?? 0) + now.length;
    const pair = adjacent ? now + next : '';
    const said = WRITTEN[pair] ?? WRITTEN[now];
    if (said !== undefined) return { line: lineAt(asked, at), said };
  }
  return null;
}

const WRITTEN: Readonly<Record<string, string>> = {
  '//': 'a comment begins with `--` in VHDL, not with `//`',
  '&&': '`&&` is written `and` in VHDL',
  '||': '`||` is written `or` in VHDL',
  '!=': '`!=` is written `/=` in VHDL',
  '==': '`==` is written `=` in VHDL',
  '!': '`!` is written `not` in VHDL',
  elseif: '`elseif` is written `elsif` in VHDL',
  endif: '`endif` is written `end if` in VHDL',
  endcase: '`endcase` is written `end case` in VHDL',
  endprocess: '`endprocess` is written `end process` in VHDL',
  '{': 'no `{` stands in VHDL: statements end with `end if;`, `end process;` and the like, and bits are put together with `&`',
  '[': 'an index or a range has to stand in `( )` in VHDL, not in `[ ]`',
};

/** The end of a block within the one that ends at a token. */
function blockOpen(asked: Asked, at: number, expected: string): Said | null {
  if (textAt(asked, at - 1) !== 'end' || !BLOCKS.test(expected)) return null;
  const found = textAt(asked, at);
  const wrong = ['endif', 'endcase', 'endloop', 'endprocess'].find(
    (word) => word === `end${expected}` && asked.source.tokens.slice(0, at).some(({ text }) => text === word),
  );
  if (wrong !== undefined) {
    const line = asked.source.tokens.find(({ text }) => text === wrong)?.line ?? asked.line;
    return { line, said: `\`${wrong}\` is written \`end ${expected}\` in VHDL` };
  }
  const open = openBlocks(asked.source, at - 1).filter(
    ({ word }) => word === expected || word === `else ${expected}`,
  );
  const one = open.find(({ word }) => word === `else ${expected}`) ?? open.at(-1);
  const ends = `an \`end ${expected};\` is missing above the \`end${found === ';' ? '' : ` ${shortened(found)}`}\` in line ${lineAt(asked, at)}`;
  if (!one) return { said: ends };
  return one.word === expected
    ? { said: `${ends}: the \`${expected}\` of line ${one.line} probably has none` }
    : {
        said: `${ends}: the \`else if\` of line ${one.line} begins one more \`if\` with an end of its own; \`elsif\` does not`,
      };
}

const MISSING = /^(?:then|is|loop|begin|;|:|\)|=>|of|generate)$/;

/** What GHDL says of text that its grammar does not take. */
export const SYNTAX: readonly Wording[] = [
  [
    /^missing ";" at end of /,
    (_, asked) => {
      const at = placed(asked);
      // The place is behind what has no semicolon.
      const next = asked.source.tokens.findIndex(
        ({ start }, n) => n >= at - 1 && start >= (asked.source.tokens[at]?.start ?? 0),
      );
      return foreign(asked, at) ?? missing(asked, Math.max(next, 1), ';');
    },
  ],
  [
    /^(?:"<=" or ":=" expected|'<=' is expected) instead of '='$/,
    () => '`=` compares: a signal is given its value with `<=`, a variable with `:=`',
  ],
  [/^"<=" or ":=" expected instead of/, (_, asked) => foreign(asked, placed(asked))],
  [/^'==' is not the vhdl equality/, () => WRITTEN['=='] ?? ''],
  [/^Use '\/=' for inequality/, () => WRITTEN['!='] ?? ''],
  [/^= should be := for initial value$/, () => 'a first value is given with `:=`, not with `=`'],
  [
    /^extra ';' at end of interface list$/,
    () => 'no `;` stands behind the last port or generic: take it out',
  ],
  [
    /^extra ';' ignored$/,
    (_, asked) => {
      const before = textAt(asked, placed(asked) - 1);
      return `the \`;\`${before ? ` behind \`${shortened(before)}\`` : ''} is one too many`;
    },
  ],
  [/^extra '\)' ignored$/, () => 'this `)` is one too many: no `(` is open'],
  [
    /^';' or '\)' expected after interface$/,
    (_, asked) => {
      let at = placed(asked);
      // The names of the next port are read as its type.
      if (textAt(asked, at) === ':') at--;
      while (textAt(asked, at - 1) === ',') at -= 2;
      return missing(asked, at, ';', ': it parts ports and generics');
    },
  ],
  [
    /^':' expected after interface identifier$/,
    (_, asked) => missing(asked, placed(asked), ':', ': it parts names and their type'),
  ],
  [
    /^space is required between number and unit name$/,
    (_, asked) => {
      const [, digits] =
        /^0[xX]([\da-fA-F_]*)/.exec(lineOf(asked).slice(Math.max(0, asked.column - 2))) ?? [];
      if (digits !== undefined) return `\`0x${digits}\` is written \`x"${digits}"\` in VHDL`;
      const [, number, unit] = /(\d[\w.]*?)((?:[fpnum]?s|sec|min|hr)\b)/i.exec(lineOf(asked)) ?? [];
      return number === undefined
        ? null
        : `a space is missing between number and unit: write \`${number} ${unit}\``;
    },
  ],
  [
    /^unexpected token ''' in /,
    (_, asked) => {
      const [whole, bits = ''] = /'([01XZ_-]{2,})'/i.exec(lineOf(asked)) ?? [];
      return whole === undefined
        ? null
        : `\`${shortened(whole)}\` has several bits, and is written \`"${shortened(bits)}"\`: \`' '\` has one alone`;
    },
  ],
  [/^unexpected token/, (_, asked) => foreign(asked, placed(asked))],
  [
    /^an identifier is expected instead of '(\w+)'$/,
    ([, word]) => `\`${word}\` is a word of the language and cannot be a name`,
  ],
  [
    /^object class keyword such as 'variable' is expected$/,
    (_, asked) => {
      const at = placed(asked);
      return textAt(asked, at - 1) === 'process'
        ? 'the signals behind `process` have to stand in brackets, as in `process (clk)`'
        : (foreign(asked, at) ??
            `a \`begin\` is missing above \`${shortened(textAt(asked, at))}\`: no declaration begins like this, and statements stand behind the \`begin\` of their architecture or process`);
    },
  ],
  [
    /^'?(\]|[^'\s]+)'? is expected (?:instead of .+|here)$/,
    ([, expected = ''], asked) => {
      const at = placed(asked);
      const other = foreign(asked, at);
      if (other) return other;
      const block = blockOpen(asked, at, expected);
      if (block) return block;
      // What stands behind a number is read as its unit.
      if (expected === 'loop')
        return `a \`loop\` is missing in line ${asked.line}, behind the head of the loop`;
      return MISSING.test(expected) ? missing(asked, at, expected) : null;
    },
  ],
  [
    /^interface declaration expected$/,
    (_, asked) => {
      const at = placed(asked);
      return /^[:,]$/.test(textAt(asked, at + 1))
        ? `\`${shortened(textAt(asked, at))}\` is a word of the language and cannot be a name`
        : null;
    },
  ],
  [
    /^missing entity, architecture, package or configuration$/,
    (_, asked) =>
      foreign(asked, placed(asked)) ??
      `nothing begins with \`${shortened(textAt(asked, placed(asked)))}\` outside of an entity, an architecture or a package: an \`end\` above may be one too many, or this is a part that has to be copied into a design`,
  ],
  [
    /^'end' is expected instead of end of file$/,
    (_, { source }) => {
      const open = openBlocks(source, source.tokens.length).at(-1);
      const which = open ? `: the \`${open.word}\` of line ${open.line} is not ended` : '';
      return {
        line: source.tokens.at(-1)?.line ?? 1,
        said: `the file ends within what it began${which}; a part of it may have been cut off`,
      };
    },
  ],
  [
    /^misspelling, "([^"]+)" expected$/,
    ([, name]) =>
      `the name behind \`end\` is another one than that of what ends here: \`${name}\` is expected`,
  ],
  [
    /^component instantiation requires a label$/,
    () =>
      'this instance has no name: write one and a `:` before it, as in `u0: entity work.counter port map (…);`',
  ],
];
