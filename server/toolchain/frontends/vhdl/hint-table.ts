import { nearest } from '../../languages/near-names.ts';
import { foreignCell } from '../../languages/vendor-cells.ts';

/** Marks the place of a mistake among the tokens around it; a space separates two tokens. */
export const MARK = '‸';

export type Groups = Readonly<Record<string, string | undefined>>;

/**
 * A sentence for a message of GHDL: the message, the tokens around its place, and the sentence. `$<name>` stands for a
 * group of the two patterns. The first that fits counts; after null the next one is tried.
 */
type Hint = [
  pattern: RegExp,
  near: RegExp,
  sentence: string | ((groups: Groups, text: string) => string | null),
  /** The line of the mistake, if it is not the place: that of the token before, or of the first match in the text. */
  where?: 'before' | ((groups: Groups) => RegExp),
];

/** Package by name, for the names that nearly every design uses. */
export const PACKAGE_OF: Readonly<Record<string, string>> = Object.fromEntries(
  [
    ['std_logic_1164', 'std_logic std_logic_vector std_ulogic std_ulogic_vector rising_edge falling_edge'],
    [
      'numeric_std',
      'unsigned signed to_unsigned to_signed to_integer resize shift_left shift_right rotate_left rotate_right',
    ],
  ].flatMap(([own = '', names = '']) => names.split(' ').map((name) => [name, own])),
);

/** Type names as authors write them. */
const typed = (name = '') => name.replace(/^std_ulogic/, 'std_logic').replace(/^unresolved_/, '');

/** Conversion from one type to another. */
const CONVERSIONS: readonly [from: RegExp, to: RegExp, way: string][] = [
  [/^(?:std_logic_vector|unsigned|signed)$/, /^(?:std_logic_vector|unsigned|signed)$/, '$to($name)'],
  [/^(?:integer|natural|positive)$/, /^(?:unsigned|signed)$/, 'to_$to($name, 8)'],
  [/^(?:integer|natural|positive)$/, /^std_logic_vector$/, 'std_logic_vector(to_unsigned($name, 8))'],
  [/^(?:unsigned|signed)$/, /^(?:integer|natural|positive)$/, 'to_integer($name)'],
  [/^std_logic_vector$/, /^(?:integer|natural|positive)$/, 'to_integer(unsigned($name))'],
  [/^std_logic$/, /vector$|signed$/, "(0 => $name, others => '0')"],
  [/vector$|signed$/, /^std_logic$/, '$name(0)'],
];

function otherType({ name = '', type }: Groups, text: string): string {
  const to = typed(type);
  const declared = new RegExp(`\\b${name}\\b[\\w\\s,]*:\\s*(?:(?:in|out|inout|buffer)\\s+)?([\\w.]+)`, 'i');
  const from = declared.exec(text)?.[1]?.toLowerCase().replace(/^.*\./, '');
  if (from === undefined) return `\`${name}\` is not a \`${to}\`, which is expected here`;
  const [, , way] = CONVERSIONS.find(([one, other]) => one.test(from) && other.test(to)) ?? [];
  const advice = way === undefined ? '' : `: write \`${way.replace('$to', to).replace('$name', name)}\``;
  return `\`${name}\` has the type \`${from}\`, but \`${to}\` is expected here${advice}`;
}

function unknownName({ name = '' }: Groups, text: string): string {
  if (name === 'ieee')
    return 'the library `ieee` is not declared: write `library ieee;` above its first `use`';
  const own = PACKAGE_OF[name];
  if (own !== undefined)
    return `\`${name}\` comes from a package that is not used: write \`use ieee.${own}.all;\` above, after \`library ieee;\``;
  const cell = foreignCell(name) ?? foreignCell(name.toUpperCase());
  if (cell?.kind === 'cell')
    return `\`${name}\` is a cell of ${cell.maker} FPGAs, which this board does not have: write an entity \`${name}\` that does the same`;
  if (name.startsWith('sb_'))
    return `\`${name}\` is a cell of the iCE40, which needs a \`component\` declaration above the \`begin\``;
  const names = text.toLowerCase().match(/[a-z]\w+/g) ?? [];
  const near = nearest(name, [...names, ...Object.keys(PACKAGE_OF)]);
  return `\`${name}\` is not declared${near === null ? '' : `; did you mean \`${near}\`?`}`;
}

const PARSER = /\bexpected\b|^unexpected token|^missing ";"|^'==' is not|^Use '\/='/;
/** A hint for syntax of another language. */
const inVhdl = (near: RegExp, sentence: string): Hint => [PARSER, near, sentence];
const IS_MISSING = 'a `$<what>` is missing after `$<last>`, before `$<next>`';
const NEIGHBOURS = /(?<last>\S+) ‸ (?<next>\S+)/;
const WAITS =
  'a process without a sensitivity list begins with `wait until rising_edge(clk);` and waits nowhere else: any other wait is for simulation only';
const ALL_BITS = 'write all bits in `" "`, as in `"0101"` or `x"05"`, or `(others => \'0\')` for zeros';
const IS_WORD = '`$<name>` is a reserved word and cannot be a name';

/** Sentence for an edge that is used as a value. */
export const NO_ELSE =
  '`if rising_edge(clk)` has no `else`: no circuit can act whenever there is no edge. Move that code into its own process; test a reset before the edge';

/** Hints that need no surrounding tokens. */
const SENTENCES: readonly [pattern: RegExp, sentence: Hint[2]][] = [
  [
    /^(?:"<=" or ":=" expected|'<=' is expected) instead of '='$/,
    '`=` compares: assign a signal with `<=`, a variable with `:=`',
  ],
  [/^= should be := for initial value$/, 'write an initial value with `:=`, not with `=`'],
  [/^extra ';' at end of interface list$/, 'remove the `;` after the last port or generic'],
  [/^extra '(?<what>[;)])' ignored$/, 'remove this extra `$<what>`'],
  [/^an identifier is expected instead of '(?<name>\w+)'$/, IS_WORD],
  [
    /^misspelling, "(?<name>[^"]+)" expected$/,
    'the name after `end` differs from the one at the beginning: `$<name>` is expected',
  ],
  [
    /^component instantiation requires a label$/,
    'this instance has no label: write one and a `:` before it, as in `u0: entity work.counter port map (…);`',
  ],
  [/^no declaration for "(?<name>[^"]+)"$/, unknownName],
  [
    /^can't match '(?<name>[^']+)' with type (?:array type |enumeration (?:sub)?type )?"?(?<type>\w+)"?$/,
    otherType,
  ],
  [/^can't match integer literal .*\bstd_u?logic"?$/, "a number is not a `std_logic`: write `'0'` or `'1'`"],
  [
    /^can't match integer literal .*\bstd_u?logic_vector"?$/,
    `a number is not a \`std_logic_vector\`: ${ALL_BITS}`,
  ],
  [
    /^can't match string literal .*\bstd_u?logic"?$/,
    "write one bit in `' '`, as in `'0'`: `\" \"` is a vector",
  ],
  [
    /^can't match character literal .*(?:vector|signed)"?$/,
    `a vector is expected here, not one bit: ${ALL_BITS}`,
  ],
  [
    /^no function declarations for operator "(?<what>[-+*/]|mod|rem)"$/,
    '`$<what>` is not defined for these types: a `std_logic_vector` has no arithmetic, so convert it with `unsigned(…)`, and the result with `std_logic_vector(…)` (`use ieee.numeric_std.all;`)',
  ],
  [
    /^no function declarations for operator "(?<what>[^"]+)"$/,
    '`$<what>` is not defined for the types on its two sides: convert one of them, or compare with a value of the same type',
  ],
  [
    /^signal "(?<name>[^"]+)" is not a variable to be assigned$/,
    '`$<name>` is a signal: assign it with `<=`; `:=` is for variables',
  ],
  [
    /^target \(variable "(?<name>[^"]+)"\) is not a signal$/,
    '`$<name>` is a variable: assign it with `:=`; `<=` is for signals',
  ],
  [
    /^unit "(?<name>[^"]+)" not found in library "(?<library>ieee|std)"$/,
    'the library `$<library>` has no package `$<name>`; use `numeric_std` for numbers',
  ],
  [
    /^unit "(?<name>[^"]+)" not found in library /,
    '`$<name>` is in none of the uploaded files; upload its file too, as a project',
  ],
  [
    /^no top unit found$/,
    'the upload has no entity, only a package: upload it with the design, as a project',
  ],
  [
    /^choice is not locally static$/,
    'a choice of a `case` must be a constant, and not depend on a loop: write `if` and `elsif` instead of this `case`',
  ],
  [/^(?:expect wait (?:as the first statement|condition)|wait statement not allowed for synthesis)$/, WAITS],
  [
    /^(?:clocked logic requires clocked logic on else part|synchronous code does not expect else part)$/,
    NO_ELSE,
  ],
  [
    /^cannot use signal value during elaboration$/,
    'this must be known when the circuit is built, before any signal has a value: use only constants and generics',
  ],
  [
    /^cannot assign a net to a static value$/,
    'GHDL computes a call without signals in its arguments before any signal has a value: pass the signals that this function reads as its parameters',
  ],
  [
    /^nested memory not supported$/,
    'GHDL cannot assign a range of bits at a variable place of an element at a variable place: assign the element to a variable, change the bits in it, and assign it to the element',
  ],
  [
    /^actual constraints don't match formal ones$/,
    'this connection and the port differ in width: make them equally wide',
  ],
  [
    /^port "(?<name>[^"]+)" of mode IN must be connected$/,
    'the input `$<name>` is not connected and has no default value: connect it in the `port map`',
  ],
  [
    /^too many actuals for component instance "(?<name>[^"]+)"$/,
    'the `port map` of `$<name>` has more entries than there are ports',
  ],
  [
    /^component name expected, found .*?(?<name>\w+)$/,
    '`$<name>` is not a component declared here: if it is an entity, write `entity work.$<name>` instead',
  ],
  [
    /^can't associate '(?<value>[^']+)' with port "(?<name>[^"]+)" \(type of '[^']+' is (?<from>\w+)\) \(type of port "[^"]+" is (?:a subtype of )?(?<to>\w+)\)/,
    ({ value, name, from, to }) =>
      `\`${value}\` cannot be connected to the port \`${name}\`: it has the type \`${typed(from)}\`, and the port has the type \`${typed(to)}\``,
  ],
  [
    /^latch infered for net "(?<name>[^"]+)"/,
    '`$<name>` keeps its value without a clock where nothing assigns it: that is a latch, which the part does not have. Assign it in every branch, or once at the start of the process',
  ],
  [
    /^can't match indexed name with type array type "?(?<type>\w+)"?$/,
    ({ type }) =>
      `a \`${typed(type)}\` is expected here, not a single bit or element: write a range, as in \`x(0 downto 0)\`, or assign to one bit of the other side`,
  ],
  [/^missing choice\(s\)/, 'this `case` does not cover every value: add `when others =>` at its end'],
  [
    /^mismatching vector length; got (?<got>\d+), expect (?<wanted>\d+)$/,
    '$<got> bits are assigned to $<wanted>: make both equally wide, with an index range, `&` or `resize`',
  ],
  [
    /^identifier "(?<name>[^"]+)" already used for a declaration(?<rest>.*)$/,
    '`$<name>` is already declared$<rest>',
  ],
  [
    /^no overloaded function found matching '?(?<name>to_(?:un)?signed)'?$/,
    '`$<name>` makes a vector from a number: pass the number and its width, as in `$<name>(5, 8)`',
  ],
  [
    /^no overloaded function found matching '?(?<name>\w+)'?$/,
    '`$<name>` is not defined for these arguments: check their number and types',
  ],
  [
    /^multiple assignments for "(?<name>[^"]+)"/,
    '`$<name>` is assigned in several places, and each is a separate driver: assign it in one process',
  ],
  [
    /^(?:string length does not match that of|incorrect length for the choice value)/,
    (_, text) => {
      const ranges = [...text.matchAll(/\b(\d+)\s+to\s+(\d+)\b/gi)];
      const [, low, high] = ranges.find(([, from, to]) => Number(from) > Number(to)) ?? [];
      return low === undefined
        ? null
        : `\`${low} to ${high}\` counts up and is empty: write \`${low} downto ${high}\``;
    },
  ],
];

/** Sentences for errors of syntax, of names and types, and of synthesis. */
export const HINTS: readonly Hint[] = [
  inVhdl(/\/ ‸? ?\/ /, 'a comment begins with `--` in VHDL, not with `//`'),
  inVhdl(/& ‸? ?&/, '`&&` is written `and` in VHDL'),
  inVhdl(/\| ‸? ?\|/, '`||` is written `or` in VHDL'),
  inVhdl(/! ‸? ?=/, '`!=` is written `/=` in VHDL'),
  inVhdl(/= ‸? ?=(?! ?>)/, '`==` is written `=` in VHDL'),
  inVhdl(/! (?:\S+ )?‸|‸ !/, '`!` is written `not` in VHDL'),
  inVhdl(/\belseif (?:\S+ )?‸|‸ (?:\S+ )?elseif\b/, '`elseif` is written `elsif` in VHDL'),
  [
    PARSER,
    /\bend(?<what>if|case|loop|process) ; (?:.*)‸/,
    '`end$<what>` is written `end $<what>` in VHDL',
    ({ what }) => new RegExp(`\\bend${what}\\b`, 'i'),
  ],
  inVhdl(
    /\{ (?:\S+ )?‸|‸ \{/,
    'VHDL has no `{`: statements end with `end if;`, `end process;` and the like, and `&` concatenates bits',
  ),
  inVhdl(/\[ (?:\S+ )?‸|‸ \[/, 'an index or a range needs `( )` in VHDL, not `[ ]`'),
  [/^missing "(?<what>;)" at end of /, NEIGHBOURS, IS_MISSING, 'before'],
  [
    /^';' or '\)' expected after interface$/,
    /(?<last>\S+) (?:\w+ , )*(?:\w+ )?‸ /,
    'a `;` is missing after `$<last>`: it separates ports and generics',
    'before',
  ],
  [
    /^':' expected after interface identifier$/,
    NEIGHBOURS,
    'a `:` is missing after `$<last>`: it separates names and their type',
  ],
  [
    /^space is required between number and unit name$/,
    /‸ 0x(?<digits>\w+)/,
    '`0x$<digits>` is written `x"$<digits>"` in VHDL',
  ],
  [
    /^space is required between number and unit name$/,
    /‸ (?<number>[\d.]+)(?<unit>[a-z]+)/,
    'a space is missing between number and unit: write `$<number> $<unit>`',
  ],
  [
    /^unexpected token ''' in /,
    /‸ ' (?<bits>\w+) '/,
    "`'$<bits>'` has several bits: write `\"$<bits>\"`, because `' '` has only one",
  ],
  [/^interface declaration expected$/, /‸ (?<name>\w+) [:,]/, IS_WORD],
  [
    /^object class keyword such as 'variable' is expected$/,
    /process ‸/,
    'the signals after `process` need parentheses, as in `process (clk)`',
  ],
  [
    /^object class keyword such as 'variable' is expected$/,
    /‸ (?<next>\S+)/,
    'a `begin` is missing above `$<next>`: this is not a declaration, and statements come after the `begin` of their architecture or process',
  ],
  [
    /^'(?<what>if|case|loop|process|generate|block)' is expected instead of /,
    /end ‸ (?<next>\S+)/,
    ({ what, next }, text) => {
      const ends = `an \`end ${what};\` is missing above this \`end ${next}\``;
      return what === 'if' && /\belse\s+if\b/i.test(text)
        ? `${ends}: an \`else if\` begins another \`if\` with its own end; \`elsif\` does not`
        : ends;
    },
  ],
  [/^'?(?<what>then|is|loop|begin|;|:|\)|=>|of|generate)'? is expected /, NEIGHBOURS, IS_MISSING, 'before'],
  [
    /^missing entity, architecture, package or configuration$/,
    /‸ (?<next>\S+)/,
    'found `$<next>` outside any entity, architecture or package: an `end` above may be too early, or this is a fragment to copy into a design',
  ],
  [
    /^'end' is expected instead of end of file$/,
    /(?:)/,
    'the file ends too early; part of it may be missing',
    'before',
  ],
  [
    /^entity "(?<name>[^"]+)" has no architecture in library /,
    /(?:)/,
    'the entity `$<name>` has no architecture in the upload: write one, or correct the name after `of` in its architecture',
    ({ name }) => new RegExp(`\\barchitecture\\s+\\w+\\s+of\\s+(?!${name}\\b)`, 'i'),
  ],
  [
    /^no declaration for "(?<name>[^"]+)"$/,
    /\bmap \( (?:[^;]*)‸ \S+ = >/,
    'the instance has no port or generic `$<name>`',
  ],
  [
    /^no declaration for "(?<name>[^"]+)"$/,
    /\bmap \( (?:[^;]*)‸ \S+ = [^>]/,
    'a port is connected with `=>`, as in `$<name> => x`, not with `=`',
  ],
  ...SENTENCES.map(([pattern, sentence]): Hint => [pattern, /(?:)/, sentence]),
];
