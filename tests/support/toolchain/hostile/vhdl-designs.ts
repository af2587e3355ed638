import { type Bait, category, type HostileDesign } from './design.ts';

interface Parts {
  /** Before the architecture: library and use clauses, packages. */
  head?: string;
  /** In the declarations of a function that is called while the design is elaborated. */
  declarations?: string;
  /** Its statements. */
  statements?: string;
  /** In the declarations of the architecture. */
  architecture?: string;
}

/** A slave whose answer depends on what a function found while it was elaborated. */
const slave = ({
  head = '',
  declarations = '',
  statements = '',
  architecture = '',
}: Parts): string => `library ieee;
use ieee.std_logic_1164.all;
use std.textio.all;
${head}
entity design is
  port (clk, rst, wb_cyc, wb_stb, wb_we : in std_logic; wb_adr : in std_logic_vector(29 downto 0);
        wb_dat_w : in std_logic_vector(31 downto 0); wb_sel : in std_logic_vector(3 downto 0);
        wb_dat_r : out std_logic_vector(31 downto 0); wb_ack : out std_logic);
end entity;
architecture rtl of design is
  ${architecture}
  impure function found return natural is
    variable l : line;
    variable c : character := 'x';
    ${declarations}
  begin
    ${statements}
    return character'pos(c);
  end function;
  constant answer : natural := found;
begin
  wb_dat_r <= x"0000_0001" when answer = 115 else wb_dat_w;
  wb_ack <= wb_cyc and wb_stb;
end architecture;
`;

/** Texts that may make a check take the rest for a string, a comment, a literal or a name. */
const DISGUISES: Record<string, string> = {
  'without a disguise': '',
  'behind a qualified bracket': `constant q : character := character'('"');`,
  'behind a qualified bracket of an extended name': `subtype \\c\\ is character; constant q : character := \\c\\'('"');`,
  'behind a qualified bracket of a long name': `constant q : character := standard.character'('"');`,
  'behind a qualified aggregate': `constant q : string := string'('"', '(');`,
  'behind a qualified aggregate of ticks': `constant q : string := string'(''', '"', ''');`,
  'behind a literal of a quote': `constant q : character := '"';`,
  'behind a literal of a tick': `constant q : character := ''';`,
  'behind an attribute of a call': `constant q : natural := string'("a""")'length;`,
  'behind a string of dashes': 'constant q : string := "--";',
  'behind a string of a comment': 'constant q : string := "/*";',
  'behind a string of quotes': 'constant q : string := """" & """""" & "";',
  'behind a percent string': 'constant q : string := %"%;',
  'behind an extended name of a quote': 'constant \\"\\ : natural := 0;',
  'behind an extended name of a comment': 'constant \\--\\ : natural := 0;',
  'behind an extended name of backslashes': 'constant \\a\\\\"\\ : natural := 0;',
  'behind a bit string': 'constant q : bit_vector := X"ab";',
  'behind a based number': 'constant q : natural := 16#ab#;',
  'behind a based number of colons': 'constant q : natural := 16:ab:;',
  'behind a block comment of a quote': '/* " */',
  'behind a block comment of a line comment': '/* -- */',
  'behind a line comment of a block comment': '-- /*\n',
  'behind a line comment that ends in a backslash': '-- \\\n',
  'behind a line comment and a vertical tab': '-- x\v',
  'behind a line comment and a form feed': '-- x\f',
  'behind a line comment and a carriage return': '-- x\r',
  'behind a line comment and a next line character': '-- x\u0085',
  'behind a line comment and a line separator': '-- x\u2028',
  'behind a name with a letter outside of ASCII': `subtype à is character; constant q : character := à'('"');`,
  'behind a literal outside of ASCII': `constant q : character := 'é';`,
  'behind a no-break space': '\u00a0',
  'behind a tool directive': '`if x then " /*\n',
  'behind a protected part': '`protect begin "\n',
  'behind a pragma': '-- pragma translate_off\n "\n-- pragma translate_on\n',
  'behind a pragma in a block comment': '/* synthesis translate_off */ " /* synthesis translate_on */',
  'behind a pragma of another spelling': '--Synopsys Translate_Off\n--RTL_SYNTHESIS ON\n',
  'behind a pragma within a string': 'constant q : string := "-- pragma translate_off";',
  'behind a PSL comment': '-- psl default clock is rising_edge(clk);\n',
  'behind many quotes': `constant q : string := string'("${'""'.repeat(1000)}");`,
};

const OPENING = (path: string): Record<string, Parts> => ({
  'a file that is read': {
    declarations: `file f : text open read_mode is "${path}";`,
    statements: 'readline(f, l); read(l, c);',
  },
  'a file of characters': {
    declarations: `type t is file of character; file f : t open read_mode is "${path}";`,
    statements: 'read(f, c);',
  },
  'a file of 1987': {
    declarations: `file f : text is in "${path}";`,
    statements: 'readline(f, l); read(l, c);',
  },
  file_open: {
    declarations: 'file f : text; variable s : file_open_status;',
    statements: `file_open(s, f, "${path}", read_mode); readline(f, l); read(l, c);`,
  },
  'file_open of an input that is there': {
    statements: `file_open(input, "${path}", read_mode); readline(input, l); read(l, c);`,
  },
  'an alias of file_open': {
    declarations:
      'alias o is file_open [file_open_status, text, string, file_open_kind]; variable s : file_open_status;',
    statements: `o(s, input, "${path}", read_mode); readline(input, l); read(l, c);`,
  },
  'upper case': {
    declarations: `FILE F : TEXT OPEN READ_MODE IS "${path}";`,
    statements: 'readline(f, l); read(l, c);',
  },
  'a name of pieces': {
    declarations: `constant n : string := "${path.slice(0, 3)}" & "${path.slice(3)}"; file f : text open read_mode is n;`,
    statements: 'readline(f, l); read(l, c);',
  },
  'the architecture': {
    architecture: `file f : text open read_mode is "${path}";`,
    statements: 'readline(f, l); read(l, c);',
  },
});

function files({ read, write, relative, link }: Bait): HostileDesign[] {
  const designs = category('VHDL: files', 'design.vhd');
  for (const [how, disguise] of Object.entries(DISGUISES))
    for (const [what, parts] of Object.entries(OPENING(read)).slice(0, how === 'without a disguise' ? 99 : 1))
      designs.add(
        `${what}, ${how}`,
        slave({ ...parts, declarations: `${disguise} ${parts.declarations ?? ''}` }),
      );
  for (const [how, disguise] of Object.entries(DISGUISES))
    designs.add(
      `a file that is written, ${how}`,
      slave({
        declarations: `${disguise} file f : text open write_mode is "${write}";`,
        statements: `write(l, string'("x")); writeline(f, l);`,
      }),
    );
  for (const path of [
    relative,
    link,
    '/etc/passwd',
    '/dev/stdin',
    '/proc/self/environ',
    'STD_INPUT',
    'NUL',
    'C:\\Windows\\win.ini',
  ])
    designs.add(`a file ${path}`, slave(OPENING(path)['a file that is read'] ?? {}));
  designs.add(
    'a file that is appended to',
    slave({
      declarations: `file f : text open append_mode is "${write}";`,
      statements: `write(l, string'("x")); writeline(f, l);`,
    }),
  );
  designs.add(
    'a file in a package',
    slave({
      head: `package p is file f : std.textio.text open std.textio.write_mode is "${write}"; end package;\nuse work.p.all;`,
    }),
  );
  designs.add(
    'a file as a parameter',
    slave({
      declarations: 'procedure p(file f : text) is begin readline(f, l); end;',
      statements: 'p(input);',
    }),
  );
  return designs.all;
}

function host({ read, write }: Bait): HostileDesign[] {
  const designs = category('VHDL: the host', 'design.vhd');
  const parts: Record<string, Parts> = {
    'a foreign subprogram': {
      architecture: `procedure system(s : string) is begin end; attribute foreign of system : procedure is "VHPIDIRECT system";`,
    },
    'a foreign architecture': {
      architecture: `attribute foreign of rtl : architecture is "VHPI lib.so init";`,
    },
    'a foreign subprogram of another case': {
      architecture: `procedure system(s : string) is begin end; ATTRIBUTE FOREIGN OF system : procedure is "VHPIDIRECT system";`,
    },
    'a foreign subprogram in disguise': {
      architecture: `constant q : character := character'('"'); procedure system(s : string) is begin end; attribute foreign of system : procedure is "VHPIDIRECT system";`,
    },
    'standard input': { statements: 'readline(input, l); read(l, c);' },
    'standard output': {
      statements: `write(l, string'("module design; initial $readmemh(""${read}"", m); endmodule")); writeline(output, l);`,
    },
    'many lines of output': {
      statements: `for i in 1 to 100000 loop write(l, string'("x")); writeline(output, l); end loop;`,
    },
    reports: { statements: `report "${read}: error: x" severity error;` },
    'a failure': { statements: `report "x" severity failure;` },
    'the environment': { head: 'use std.env.all;', statements: 'stop(0);' },
    'a variable of the environment': { head: 'use std.env.all;', statements: `report getenv("PATH");` },
    'a folder of 2019': { head: 'use std.env.all;', statements: `report dir_workdir;` },
    'a library that is a path': { head: `library \\${read}\\;` },
    'a library of the folder above': { head: 'library \\../../x\\;' },
    'a unit of the working library': { head: 'use work.nothing.all;' },
    'a component that becomes a file name': {
      architecture: `component \\${write}\\ is end component;`,
    },
    'Verilog in an extended name': {
      architecture: `signal \\x ; initial $readmemh("${read}", m); \\ : std_logic;`,
    },
    'an include in an extended name': { architecture: `signal \\x\`include "${read}"\\ : std_logic;` },
    'Verilog in the name of a port': {
      architecture: `signal s : std_logic; attribute a : string; attribute a of s : signal is """ *) initial $readmemh(""${read}"", m); (* b = """;`,
    },
  };
  for (const [name, one] of Object.entries(parts)) designs.add(name, slave(one));
  designs.add(
    'Verilog in the name of a signal that is used',
    slave({ architecture: `signal \\x ; initial $readmemh("${read}", m); \\ : std_logic;` }).replace(
      'wb_ack <= wb_cyc and wb_stb;',
      `\\x ; initial $readmemh("${read}", m); \\ <= wb_cyc and wb_stb; wb_ack <= \\x ; initial $readmemh("${read}", m); \\;`,
    ),
  );
  designs.add(
    'an include in the name of a signal that is used',
    slave({ architecture: `signal \\\`include "${read}"\\ : std_logic;` }).replace(
      'wb_ack <= wb_cyc and wb_stb;',
      `\\\`include "${read}"\\ <= wb_cyc; wb_ack <= \\\`include "${read}"\\;`,
    ),
  );
  return designs.all;
}

function appetites(): HostileDesign[] {
  const designs = category('VHDL: appetites', 'design.vhd');
  const quick: Record<string, Parts> = {
    'a function that calls itself': {
      declarations: 'function f(n : natural) return natural is begin return f(n + 1) + 1; end;',
      statements: 'return f(0);',
    },
    'a string of two billion characters': {
      statements: `write(l, string'(1 to 2147483647 => 'x'));`,
    },
    'a number of a huge exponent': { architecture: 'constant n : natural := 1e999999999;' },
    'a power of a power': { architecture: 'constant n : natural := 2 ** (2 ** 30);' },
    'ten thousand brackets': {
      architecture: `constant n : natural := ${'('.repeat(10_000)}1${')'.repeat(10_000)};`,
    },
    'a name of a megabyte': { architecture: `constant ${'n'.repeat(900_000)} : natural := 0;` },
    'a division by zero': { architecture: 'constant n : natural := 1 / 0;' },
  };
  const slow: Record<string, Parts> = {
    'an array of an array of arrays': {
      architecture:
        "type a is array (0 to 65535) of std_logic_vector(65535 downto 0); signal s : a := (others => (others => '0'));",
    },
    'a loop without an end': { statements: 'while true loop null; end loop;' },
    'a loop of two billion': { statements: 'for i in 0 to 2147483646 loop null; end loop;' },
    'an access type that grows': {
      declarations:
        'type p; type p_access is access p; type p is record n : p_access; end record; variable v, w : p_access;',
      statements: 'while true loop w := new p; w.n := v; v := w; end loop;',
    },
    'output without an end': {
      statements: `while true loop write(l, string'("x")); writeline(output, l); end loop;`,
    },
  };
  for (const [name, parts] of Object.entries(quick)) designs.add(name, slave(parts));
  for (const [name, parts] of Object.entries(slow)) designs.add(name, slave(parts), undefined, 'slow');
  return designs.all;
}

/** Hostile designs in VHDL, by category. */
export const vhdlDesigns = (bait: Bait): HostileDesign[] => [...files(bait), ...host(bait), ...appetites()];
