import { nearest } from '../near-names.ts';
import { foreignCell } from '../vendor-cells.ts';
import { shortened } from '../verilog/source-pieces.ts';
import { incomplete } from './vhdl-incomplete.ts';
import { declaredNames, declaredTypes, tokenFrom, vhdlSource } from './vhdl-places.ts';
import type { Asked, Said, Wording } from './vhdl-syntax-words.ts';

/** Where the names come from that nearly every design uses. */
export const PACKAGE_OF: Readonly<Record<string, string>> = Object.fromEntries(
  [
    ['std_logic_1164', 'std_logic std_logic_vector std_ulogic std_ulogic_vector rising_edge falling_edge'],
    [
      'numeric_std',
      'unsigned signed to_unsigned to_signed to_integer resize shift_left shift_right rotate_left rotate_right',
    ],
  ].flatMap(([own = '', names = '']) => names.split(' ').map((name) => [name, own])),
);

/** Types as GHDL names them, and as authors do. */
const TYPES: Readonly<Record<string, string>> = {
  std_ulogic: 'std_logic',
  std_ulogic_vector: 'std_logic_vector',
  unresolved_unsigned: 'unsigned',
  unresolved_signed: 'signed',
};
const typed = (name: string): string => TYPES[name] ?? name;
const VECTORS = new Set(['std_logic_vector', 'unsigned', 'signed']);
const NUMBERS = new Set(['integer', 'natural', 'positive']);

/** How a value of one type is made one of another; null where that is not told. */
function conversion(name: string, from: string, to: string): string | null {
  if (VECTORS.has(from) && VECTORS.has(to)) return `${to}(${name})`;
  if (NUMBERS.has(from) && (to === 'unsigned' || to === 'signed')) return `to_${to}(${name}, 8)`;
  if (NUMBERS.has(from) && to === 'std_logic_vector') return `std_logic_vector(to_unsigned(${name}, 8))`;
  if ((from === 'unsigned' || from === 'signed') && NUMBERS.has(to)) return `to_integer(${name})`;
  if (from === 'std_logic_vector' && NUMBERS.has(to)) return `to_integer(unsigned(${name}))`;
  if (from === 'std_logic' && VECTORS.has(to)) return `(0 => ${name}, others => '0')`;
  if (VECTORS.has(from) && to === 'std_logic') return `${name}(0)`;
  return null;
}

function unknown(name: string, asked: Asked): Said {
  const own = PACKAGE_OF[name];
  if (name === 'ieee')
    return { said: 'the library `ieee` is not named: write `library ieee;` above its first `use`' };
  if (own !== undefined)
    return {
      said: `\`${name}\` comes from a package that is not named: write \`use ieee.${own}.all;\` above, behind \`library ieee;\``,
    };
  const cell = foreignCell(name) ?? foreignCell(name.toUpperCase());
  if (cell?.kind === 'cell' || /^sb_\w+$/.test(name))
    return {
      said:
        cell?.kind === 'cell'
          ? `\`${name}\` is a cell of FPGAs of ${cell.maker}, which this board does not have: write an entity \`${name}\` that does the same`
          : `\`${name}\` is a cell of the iCE40, which is known where a \`component\` declaration of it stands above the \`begin\``,
    };
  const at = tokenFrom(asked.source, asked.line, asked.column);
  const { tokens } = asked.source;
  const shown = shortened(name);
  const names = [...declaredNames(asked.source), ...Object.keys(PACKAGE_OF)];
  const inMap =
    /^(?:\(|,)$/.test(tokens[at - 1]?.text ?? '') &&
    tokens[at + 1]?.text === '=' &&
    tokens[at + 2]?.text === '>';
  if (inMap && isPortMap(asked, at)) {
    const ports = new Set(
      [...asked.all.values()].flatMap((text) => [...declaredTypes(vhdlSource(text)).keys()]),
    );
    const near = nearest(name, ports);
    return {
      said: `what is instantiated here has no port or generic \`${shown}\`${near === null ? '' : `; perhaps \`${near}\` is meant`}`,
    };
  }
  if (tokens[at + 1]?.text === '=' && isPortMap(asked, at))
    return { said: `a port is connected with \`=>\`, as in \`${shown} => x\`, not with \`=\`` };
  const near = nearest(name, names);
  return { said: `\`${shown}\` is declared nowhere${near === null ? '' : `; perhaps \`${near}\` is meant`}` };
}

function isPortMap({ source: { tokens } }: Asked, index: number): boolean {
  let depth = 0;
  for (let at = index - 1; at > 0; at--) {
    const text = tokens[at]?.text;
    if (text === ')') depth++;
    else if (text === '(' && depth-- === 0) return tokens[at - 1]?.text === 'map';
  }
  return false;
}

/** The architecture of an entity that is not there, where an entity has none. */
function withoutArchitecture(entity: string, { all }: Asked): Said | null {
  const sources = [...all].map(([file, text]) => [file, vhdlSource(text)] as const);
  const entities = new Set(
    sources.flatMap(([, { tokens }]) =>
      tokens.flatMap(({ text }, at) =>
        text === 'entity' && tokens[at + 2]?.text === 'is' ? [tokens[at + 1]?.text ?? ''] : [],
      ),
    ),
  );
  for (const [file, { tokens }] of sources)
    for (const [at, { text, line }] of tokens.entries()) {
      const of = tokens[at + 3]?.text ?? '';
      if (text === 'architecture' && tokens[at + 2]?.text === 'of' && !entities.has(of))
        return {
          file,
          line,
          said: `this architecture is one of \`${shortened(of)}\`, and no entity has that name; the entity \`${entity}\` has no architecture`,
        };
    }
  return { said: `the entity \`${entity}\` has no architecture in what was sent` };
}

const WAITS =
  'a process without a list of signals begins with its `wait until rising_edge(clk);`, and waits nowhere else: any other wait is for simulation only';

/** Of an edge that is used as a value. */
export const NO_ELSE =
  '`if rising_edge(clk)` has no `else`: no circuit can do something whenever there is no edge. Put what is there into a process of its own; a reset is tested in front of the edge';

/** What GHDL says of names and types, and of what no circuit can be made of. */
export const NAMES: readonly Wording[] = [
  [/^no declaration for "([^"]+)"$/, ([, name = ''], asked) => unknown(name, asked)],
  [
    /^can't match '([^']+)' with type (?:array type |enumeration (?:sub)?type )?"?(\w+)"?$/,
    ([, name = '', wanted = ''], { source }) => {
      const to = typed(wanted);
      const from = declaredTypes(source).get(name.toLowerCase());
      if (from === undefined) return `\`${shortened(name)}\` is no \`${to}\`, which is wanted here`;
      const way = conversion(shortened(name), from, to);
      return `\`${shortened(name)}\` is of the type \`${from}\`, and \`${to}\` is wanted here${way === null ? '' : `: write \`${way}\``}`;
    },
  ],
  [
    /^can't match (integer|string|character) literal(?: ('.'))? with type (?:array type |enumeration (?:sub)?type )?"?(\w+)"?$/,
    ([, kind, character, wanted = '']) => {
      const to = typed(wanted);
      const vector = VECTORS.has(to);
      if (kind === 'integer' && to === 'std_logic') return "a number is no `std_logic`: write `'0'` or `'1'`";
      if (kind === 'integer' && to === 'std_logic_vector')
        return 'a number is no `std_logic_vector`: write its bits, as in `"0101"` or `x"05"`, or `(others => \'0\')` for zeros';
      if (kind === 'string' && to === 'std_logic')
        return "one bit stands in `' '`, as in `'0'`: `\" \"` is a vector";
      if (kind === 'character' && vector)
        return `\`${character || "'0'"}\` is one bit, and \`${to}\` is wanted here: write all bits in \`" "\`, or \`(others => ${character || "'0'"})\``;
      return null;
    },
  ],
  [
    /^no function declarations for operator "([^"]+)"$/,
    ([, operator = '']) =>
      /^[-+*/]$|^mod$|^rem$/.test(operator)
        ? `\`${operator}\` is not defined for the types that stand here: a \`std_logic_vector\` has no arithmetic, so convert it with \`unsigned(…)\`, and the result with \`std_logic_vector(…)\` (\`use ieee.numeric_std.all;\`)`
        : `\`${operator}\` is not defined for the types that stand on its two sides: convert one of them, or compare with a value of the same type`,
  ],
  [
    /^signal "([^"]+)" is not a variable to be assigned$/,
    ([, name]) => `\`${name}\` is a signal, which is given its value with \`<=\`; \`:=\` is for variables`,
  ],
  [
    /^target \(variable "([^"]+)"\) is not a signal$/,
    ([, name]) => `\`${name}\` is a variable, which is given its value with \`:=\`; \`<=\` is for signals`,
  ],
  [
    /^entity "([^"]+)" has no architecture in library /,
    ([, entity = ''], asked) => withoutArchitecture(entity, asked),
  ],
  [
    /^unit "([^"]+)" not found in library "([^"]+)"$/,
    ([, unit, library]) =>
      library === 'ieee' || library === 'std'
        ? `the library \`${library}\` has no package \`${unit}\`; for numbers, \`numeric_std\` is the one`
        : `\`${unit}\` is in none of the files that were sent; send its file along, as a project`,
  ],
  [
    /^no top unit found$/,
    () => 'there is no entity in what was sent, but a package alone: send it with the design, as a project',
  ],
  [
    /^entity "([^"]+)" cannot be at the top of a design$/,
    ([, entity = ''], asked) => incomplete(entity.toLowerCase(), asked),
  ],
  [
    /^choice is not locally static$/,
    () =>
      'what a `case` chooses by has to be a number, or a constant that needs no generic and no function: write `if` and `elsif` in place of this `case`',
  ],
  [
    /^(?:expect wait as the first statement|expect wait condition|wait statement not allowed for synthesis)$/,
    () => WAITS,
  ],
  [
    /^(?:clocked logic requires clocked logic on else part|synchronous code does not expect else part)$/,
    () => NO_ELSE,
  ],
  [
    /^cannot use signal value during elaboration$/,
    () =>
      'what stands here has to be known while the circuit is built, and a signal has no value yet: use constants and generics alone',
  ],
  [
    /^actual constraints don't match formal ones$/,
    () => 'what is connected here has another number of bits than the port: make both as wide',
  ],
  [
    /^port "([^"]+)" of mode IN must be connected$/,
    ([, port]) =>
      `the input \`${port}\` is not connected: put it into the \`port map\`, for it has no default value`,
  ],
  [
    /^too many actuals for component instance "([^"]+)"$/,
    ([, instance]) => `the \`port map\` of \`${instance}\` has more in it than there are ports`,
  ],
  [
    /^component name expected, found .*?(\w+)$/,
    ([, name], { all }) =>
      [...all.values()].some((text) => new RegExp(`\\bentity\\s+${name}\\b`, 'i').test(text))
        ? `\`${name}\` is no component that is declared here: write \`entity work.${name}\` in its place`
        : `\`${name}\` is no component that is declared here`,
  ],
  [
    /^can't associate '([^']+)' with port "([^"]+)"(?: \(type of '[^']+' is (\w+)\))?(?: \(type of port "[^"]+" is (?:a subtype of )?(\w+)\))?/,
    ([, value = '', port, from = '', to = '']) =>
      `\`${shortened(value)}\` cannot be connected to the port \`${port}\`: ${from && to ? `it is of the type \`${typed(from)}\`, and the port of the type \`${typed(to)}\`` : 'they are of different types'}`,
  ],
  [
    /^latch infered for net "([^"]+)"/,
    ([, net]) =>
      `\`${net}\` keeps its value where nothing gives it one, outside of a clock: that is a latch, which the part does not have. Give it a value in every branch, or one at the begin of the process`,
  ],
  [
    /^can't match indexed name with type array type "?(\w+)"?$/,
    ([, wanted = '']) =>
      `a single bit, or an element, stands where \`${typed(wanted)}\` is wanted: write a range, as in \`x(0 downto 0)\`, or give the value to one bit of the other side`,
  ],
  [/^missing choice\(s\)/, () => 'this `case` does not name every value: put `when others =>` at its end'],
  [
    /^mismatching vector length; got (\d+), expect (\d+)$/,
    ([, got, wanted]) =>
      `${got} bits are given to something of ${wanted}: make both as wide, with an index range, \`&\` or \`resize\``,
  ],
  [
    /^identifier "([^"]+)" already used for a declaration(.*)$/,
    ([, name, rest]) => `\`${name}\` is declared a second time${rest}`,
  ],
  [
    /^no overloaded function found matching '?(\w+)'?$/,
    ([, name = '']) =>
      name === 'to_unsigned' || name === 'to_signed'
        ? `\`${name}\` makes a vector of a number, and is given a number and its bits, as in \`${name}(5, 8)\``
        : `\`${name}\` is not defined for what it is given here: look at the number and the types of its arguments`,
  ],
  [
    /^multiple assignments for "([^"]+)"/,
    ([, name]) =>
      `\`${name}\` is given its value in more than one place, each of which is a circuit of its own: do all of it in one process`,
  ],
  [
    /^(?:string length does not match that of|incorrect length for the choice value)/,
    (_, { source }) => {
      for (const [at, { text, line }] of source.tokens.entries()) {
        const [low, high] = [source.tokens[at - 1]?.text ?? '', source.tokens[at + 1]?.text ?? ''];
        if (text === 'to' && /^\d+$/.test(low) && /^\d+$/.test(high) && Number(low) > Number(high))
          return {
            line,
            said: `\`${low} to ${high}\` counts up, and has no element: write \`${low} downto ${high}\``,
          };
      }
      return null;
    },
  ],
];
