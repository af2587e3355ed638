import { expect, test } from 'vitest';
import { withMatchingChoices } from '../../../../../server/toolchain/frontends/vhdl/matching-choices.ts';
import { withRightConstants } from '../../../../../server/toolchain/frontends/vhdl/right-constants.ts';

/** A process of an architecture with a signal `s`, records `r` and `one`, and a port `x`. */
const design = (
  declared: string,
  body: string,
) => `entity e is port (x : in std_logic_vector(7 downto 0)); end;
architecture a of e is component c is port (s : in bit); end component; signal s : std_logic_vector(7 downto 0); signal r : rec;
type o is record f : byte; end record; signal one : o;
begin process (all) ${declared}begin ${body} end process; end;
`;

const VARIABLE = 'variable v : std_logic_vector(7 downto 0); ';
const V = "v(v'left) := v(v'left);";
const F = "r.f(r.f'left) := r.f(r.f'left);";
const M = "m(m'left(1), m'left(2)) := m(m'left(1), m'left(2));";

test.each([
  ['a variable', VARIABLE, 'v := x"2d"; v(0) := x(1);', `v := x"2d"; ${V} v(0) := x(1);`],
  [
    'a whole slice',
    VARIABLE,
    'v(7 downto 0) := "11"; v(0) := x(1);',
    `v(7 downto 0) := "11"; ${V} v(0) := x(1);`,
  ],
  ['an alias', `${VARIABLE}alias h : bit is v(7); `, "v := K; h := '1';", `v := K; ${V} h := '1';`],
  ['a length', VARIABLE, "v := f(x'length); v(0) := x(1);", `v := f(x'length); ${V} v(0) := x(1);`],
  ['a field', '', 'r := INIT; r.f(2) := x(1);', `r := INIT; ${F} r.f(2) := x(1);`],
  ['within a field', '', 'r.f := K; r.f(2) := x(1); r.g := K;', `r.f := K; ${F} r.f(2) := x(1); r.g := K;`],
  [
    'an element of a slice',
    VARIABLE,
    'v := K; v(7 downto 4)(5) := x(1);',
    `v := K; ${V} v(7 downto 4)(5) := x(1);`,
  ],
  [
    'a field of a slice',
    VARIABLE,
    'v(1 to 2) := v(3 to 4); v(1).f := x(1);',
    `v(1 to 2) := v(3 to 4); v(1 to 2)(v(1 to 2)'left).f := v(1 to 2)(v(1 to 2)'left).f; v(1).f := x(1);`,
  ],
  ['two indexes', '', 'm := K; m(1, 2) := x(1);', `m := K; ${M} m(1, 2) := x(1);`],
  [
    'a branch',
    VARIABLE,
    'case x is when A => v(1) := x(1); when B => v := K; end case;',
    `case x is when A => v(1) := x(1); when B => v := K; ${V} end case;`,
  ],
  ['a procedure', VARIABLE, 'v := K; set(3, v);', `v := K; ${V} set(3, v);`],
])('where others assign parts, a part is assigned again: %s', (_, declared, body, expected) => {
  expect(withRightConstants([design(declared, body)])).toEqual([design(declared, expected)]);
});

test.each([
  ['a constant', 's', 's <= f(9) after 1 ns; s(0) <= x(1);', `s(s'left) <= whole(f(9))(s'left);`],
  ['a variable', 's', 's <= not v; s(0) <= x(1);', `s(s'left) <= whole(not v)(s'left);`],
  [
    'a field',
    'one',
    'one.f <= not v; one.f(2) <= x(1);',
    "one.f(one.f'left) <= whole((f => not v)).f(one.f'left);",
  ],
])('a signal gets the part of what it gets: %s', (_, name, body, expected) => {
  const [text = ''] = withRightConstants([design(VARIABLE, body)]);
  const plain = text.replace(/whole_\d+/g, 'whole');
  expect(plain).toContain(`; ${expected} `);
  const [mark, subtype] =
    name === 'one' ? ['o', ''] : ['whole_t', 'subtype whole_t is std_logic_vector ( 7 downto 0 ); '];
  const whole = `${subtype}function whole(v : ${mark}) return ${mark} is begin return v; end;`;
  expect(plain).toContain(`${VARIABLE}${whole} begin`);
});

test.each([
  ['no constant', VARIABLE, 'v := x; v(0) := x(1);'],
  ['equal bits', VARIABLE, "v := (others => '0'); v(0) := x(1);"],
  ['a choice for a signal', VARIABLE, 's <= v when v(1) else K; s(0) <= x(1);'],
  ['no part', VARIABLE, 'v := K; r.f(2) := x(1);'],
  ['a condition', VARIABLE, "if v <= K and f(v => K) then v(0) := '1'; end if;"],
  ['only a part', VARIABLE, 'v(6 downto 0) := K; v(0) := x(1);'],
])('else nothing changes: %s', (_, declared, body) => {
  expect(withRightConstants([design(declared, body)])).toEqual([design(declared, body)]);
});

test('a subprogram assigns a part of its variables and parameters at its begin', () => {
  const body = (begin: string) =>
    `package body p is procedure set(n : natural; r, q : inout bits) is variable v : bits := K; begin${begin} if n = 0 then r(n) := v(0); v(1) := q(0); end if; end; end;`;
  expect(withRightConstants([body('')])).toEqual([body(` r(r'left) := r(r'left); ${V}`)]);
});

test('a constant that is a concatenation is qualified', () => {
  const of = (value: string) => `subtype byte is unsigned(7 downto 0); constant K : byte := ${value};`;
  expect(withRightConstants([of('x"1" & "0" & f(A & B)')])).toEqual([
    of('unsigned\'(x"1" & "0" & f(A & B))'),
  ]);
  expect(withRightConstants([of('f(A & B)')])).toEqual([of('f(A & B)')]);
});

test('choices that match become conditions, on the same lines', () => {
  expect(
    withMatchingChoices([
      `case? f(a,
  b) is
  when "1-" | "-1" => case c is when '0' => y <= 1 when x else 2; when others => null; end case;
  when others => z;
end case?;
with a select? y <= b when "1-" | "01",
  c when others;`,
    ]),
  ).toEqual([
    `

  if (f(a,   b)) ?= "1-" or (f(a,   b)) ?= "-1" then case c is when '0' => y <= 1 when x else 2; when others => null; end case;
  else z;
end if;
 y <= b when (a) ?= "1-" or (a) ?= "01" else
  c ;`,
  ]);
});

test('choices that depend on a generic or a function become conditions, on the same lines', () => {
  const given = `entity e is generic (n, m : integer := 8); end entity;
constant k : integer := 3; constant half : integer := n / 2; constant log : integer := f(k);
case a is when k => x; when others => y; end case;
case a is
  when 0 to half-1 | m => x;
  when 9
    downto half => case b is when others => null; end case;
end case;
with b select z <= '0' when k, '1' when others;
with b select z <= '0' when log, '1' when k;`;
  expect(withMatchingChoices([given])).toEqual([
    given
      .replace('case a is\n  when 0 to half-1 | m =>', '\n  if ((a) >= 0 and (a) <= half-1) or (a) = m then')
      .replace('when 9\n    downto half =>', 'else\n')
      .replace('end case;\nwith', 'end if;\nwith')
      .replace("with b select z <= '0' when log, '1' when k", " z <= '0' when (b) = log else '1' "),
  ]);
});

test.each(['a:(', 'process begin v(1) := ( ', 'constant a : signed := ', 'port (a : in b; '])(
  'a hostile source takes a time that grows with its length: %s',
  (piece) => {
    const source = piece.repeat(10_000);
    expect(withRightConstants([source])).toEqual([source]);
    expect(withMatchingChoices([source])).toEqual([source]);
  },
);
