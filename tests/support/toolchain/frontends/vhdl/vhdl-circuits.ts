/** A circuit with a clock, by its declarations and its statements. */
export interface Circuit {
  declares: string;
  body: string;
}

const atEdge = (body: string) => `process (clk) begin if rising_edge(clk) then ${body} end if; end process;`;
const clocked = (body: string, declares = '') => ({ declares, body: atEdge(body) });

const MEMORY = 'type mem_t is array (0 to 15) of std_logic_vector(7 downto 0);';
const SIGNAL = `${MEMORY} signal mem : mem_t := (3 => x"5a", 15 => x"37", others => x"00");`;
const low = (name: string) => `to_integer(unsigned(${name}(3 downto 0)))`;

/** Circuits by what they have. */
export const CIRCUITS: Record<string, Circuit> = {
  'a signal of which some bits are never assigned': clocked(
    `s(0) <= a(0); s(4 downto 3) <= b(1 downto 0); y <= s;`,
    'signal s : std_logic_vector(7 downto 0) := x"a6";',
  ),
  'a value that is cut to one bit for a function': clocked(
    `y <= (others => '0'); y(0 downto 0) <= std_logic_vector(same(resize(signed(a), 1)));`,
    'function same(x : signed) return signed is variable r : signed(0 downto 0); alias from : signed(0 downto 0) is x; begin r(0) := from(0); return r; end function;',
  ),
  'values that are cut, of which a part is all of them': {
    declares: 'type one is array (0 downto 0) of signed(3 downto 0);',
    body: `process (clk) variable v : signed(3 downto 0); variable w : one; begin if rising_edge(clk) then v := resize(signed(a), 4); w(0) := resize(signed(b), 4);
     y <= std_logic_vector(v(3 downto 0)) & std_logic_vector(w(0)); end if; end process;`,
  },
  'numbers in brackets': clocked(
    `n <= (15 - m); m <= ((m * 3 + to_integer(unsigned(a(3 downto 0)))) mod 16); one <= ((n + m) mod 2); y <= std_logic_vector(to_unsigned(n, 4)) & std_logic_vector(to_unsigned(one, 4));`,
    'signal n, m : integer range 0 to 15 := 7; signal one : integer range 0 to 1 := 0;',
  ),
  'a variable that only assigns itself': {
    declares: '',
    body: `process (clk) variable v : std_logic_vector(7 downto 0) := x"a6"; begin if rising_edge(clk) then if we = '1' then v := v; end if; y <= v; end if; end process;`,
  },
  'signed values and numbers that they cannot have': clocked(
    `s <= signed(a(2 downto 0)); y <= (others => '0'); if s = 7 then y(0) <= '1'; end if; if shift_right(signed(b(2 downto 0)), 1) /= 6 then y(1) <= '1'; end if;
     if 5 = s then y(2) <= '1'; end if; if s = -1 then y(3) <= '1'; end if; if unsigned(a(2 downto 0)) = 7 then y(4) <= '1'; end if;`,
    "signal s : signed(2 downto 0) := (others => '0');",
  ),
  'a constant for a vector of which others assign parts': clocked(
    `if we = '1' then s <= "00010111"; elsif c(0) = '1' then s <= x"2d"; else s(7 downto 4) <= a(3 downto 0); s(0) <= b(0); end if; y <= s;`,
    'signal s : std_logic_vector(7 downto 0) := x"a6";',
  ),
  'the same, ascending, unsigned, in a case': clocked(
    `case c(1 downto 0) is when "00" => s <= "01001101"; when "01" => s <= x"1e"; when "10" => s(2 to 3) <= unsigned(a(1 downto 0)); when others => s(7) <= b(0); end case; y <= std_logic_vector(s);`,
    'signal s : unsigned(0 to 7) := x"a6";',
  ),
  'the same with an asynchronous reset': {
    declares: 'signal s : std_logic_vector(7 downto 0) := x"b7";',
    body: `named : process (clk, we) begin if we = '1' then s <= x"b7"; elsif rising_edge(clk) then s(1 downto 0) <= a(1 downto 0); if c(0) = '1' then s(7) <= b(0); end if; end if; end process; y <= s;`,
  },
  'the same for a variable, of which the next statement assigns a part': {
    declares: '',
    body: `process (clk) variable v : std_logic_vector(7 downto 0) := x"1d"; begin if rising_edge(clk) then if c(3) = '1' then v := x"e2"; elsif a(0) = '1' then v(5 downto 3) := b(2 downto 0); end if; v(0) := a(7) xor v(0); y <= v; end if; end process;`,
  },
  'a concatenation of choices between constants': clocked(
    `if we = '1' then y <= x"f" & "100" & '1'; else y <= x"0" & "101" & '0'; end if; if c(0) = '1' then y(7 downto 4) <= a(3 downto 0); end if;`,
  ),
  'constants for parts, and for a record, of which others assign parts': clocked(
    `if we = '1' then s(7 downto 4) <= "0001"; s(3 downto 1) <= "011"; s(0) <= '1'; r <= INIT;
     else s(7 downto 4) <= a(3 downto 0); s(0) <= b(0); if c(0) = '1' then r.hi <= b(3 downto 0); end if; r.lo <= c(1); end if;
     if c(2) = '1' then y <= s; else y <= r.hi & r.mid & r.lo; end if;`,
    `type rec is record hi : std_logic_vector(3 downto 0); mid : std_logic_vector(2 downto 0); lo : std_logic; end record;
     constant INIT : rec := (hi => "0001", mid => "011", lo => '1'); signal r : rec := INIT;
     signal s : std_logic_vector(7 downto 0) := x"a6";`,
  ),
  'a bit at a variable place, of a signal that nothing else assigns': clocked(
    `if we = '1' then s(to_integer(unsigned(a(2 downto 0)))) <= b(0); end if; y <= s;`,
    'signal s : std_logic_vector(7 downto 0) := x"a6";',
  ),
  'two such bits of an ascending vector, one at the falling edge': {
    declares: `signal s : unsigned(0 to 7) := x"a6"; signal t : std_logic_vector(7 downto 0) := x"35";`,
    body: `process (clk) begin if rising_edge(clk) then s(to_integer(unsigned(a(2 downto 0)))) <= b(0); s(to_integer(unsigned(c(2 downto 0)))) <= we; end if; end process;
      process (clk) begin if falling_edge(clk) then t(to_integer(unsigned(b(2 downto 0)))) <= c(0); end if; end process; y <= std_logic_vector(s) xor t;`,
  },
  'four bits at a variable place, and a bit in a variable': {
    declares: 'signal s : std_logic_vector(7 downto 0) := x"a6";',
    body: `process (clk) variable v : std_logic_vector(7 downto 0) := x"c3"; variable at : integer range 0 to 4; begin if rising_edge(clk) then
      at := 4 * to_integer(unsigned(a(0 downto 0))); if we = '1' then s(at + 3 downto at) <= b(3 downto 0); end if;
      v(to_integer(unsigned(c(2 downto 0)))) := b(7); y <= s xor v; end if; end process;`,
  },
  'a bit at a variable place, with an asynchronous reset': {
    declares: 'signal s : std_logic_vector(7 downto 0) := x"a6";',
    body: `process (clk, we) begin if we = '1' then s <= x"b7"; elsif rising_edge(clk) then s(to_integer(unsigned(a(2 downto 0)))) <= b(0); end if; end process; y <= s;`,
  },
  'rotations by amounts of all their bits': clocked(
    `if we = '1' then y <= std_logic_vector(rotate_left(unsigned(a), to_integer(unsigned(c(2 downto 0))))); elsif c(7) = '1' then y <= a ror to_integer(unsigned(c(2 downto 0)));
     else y <= std_logic_vector(rotate_right(unsigned(b(3 downto 0)), to_integer(unsigned(c(1 downto 0)))) & rotate_left(unsigned(b(3 downto 0)), to_integer(unsigned(c(2 downto 0))))); end if;`,
  ),
  'an array of records, of which parts are written': clocked(
    `m(to_integer(unsigned(a(1 downto 0)))).hi <= b(3 downto 0); if we = '1' then m(to_integer(unsigned(b(1 downto 0)))).lo <= c(7); end if;
     y <= "000" & m(to_integer(unsigned(c(1 downto 0)))).lo & m(to_integer(unsigned(c(1 downto 0)))).hi;`,
    `type rec is record hi : std_logic_vector(3 downto 0); lo : std_logic; end record; type recs is array (0 to 3) of rec;
     signal m : recs := (others => (hi => x"6", lo => '1'));`,
  ),
  'a memory that is read with the clock': clocked(
    `if we = '1' then mem(${low('a')}) <= b; end if; y <= mem(${low('c')});`,
    SIGNAL,
  ),
  'a memory that is read at the word that is written': clocked(
    `if we = '1' then mem(${low('a')}) <= b; end if; y <= mem(${low('a')});`,
    SIGNAL,
  ),
  'a memory in a variable, read behind the write': {
    declares: MEMORY,
    body: `process (clk) variable v : mem_t := (others => x"11"); begin if rising_edge(clk) then
      if we = '1' then v(${low('a')}) := b; end if; y <= v(${low('c')}); end if; end process;`,
  },
  'a memory in a variable, read before the write': {
    declares: MEMORY,
    body: `process (clk) variable v : mem_t := (others => x"11"); begin if rising_edge(clk) then
      y <= v(${low('c')}); if we = '1' then v(${low('a')}) := b; end if; end if; end process;`,
  },
  'a memory in a variable, read into a sum behind the write': {
    declares: MEMORY,
    body: `process (clk) variable v : mem_t := (others => x"11"); begin if rising_edge(clk) then
      if we = '1' then v(${low('a')}) := b; end if; y <= std_logic_vector(unsigned(v(${low('c')})) + unsigned(c)); end if; end process;`,
  },
  'a memory that is read without a clock': {
    ...clocked(`if we = '1' then mem(${low('a')}) <= b; end if;`, SIGNAL),
    body: `process (clk) begin if rising_edge(clk) then if we = '1' then mem(${low('a')}) <= b; end if; end if; end process; y <= mem(${low('c')});`,
  },
  'a memory that is written twice': clocked(
    `if we = '1' then mem(${low('a')}) <= b; end if; if c(7) = '1' then mem(${low('c')}) <= a; end if; y <= mem(${low('b')});`,
    SIGNAL,
  ),
  'a memory of eleven words that is read at an address in a register': {
    declares: `type mem_t is array (0 to 10) of std_logic_vector(7 downto 0);
      signal mem : mem_t := (3 => x"5a", 7 => x"37", others => x"c1"); signal at : unsigned(3 downto 0) := x"3";`,
    body: `process (clk) begin if rising_edge(clk) then
        if we = '1' and ${low('a')} < 11 then mem(${low('a')}) <= b; elsif c(7) = '1' then mem(10) <= a; end if;
        if c(6) = '1' and ${low('b')} < 11 then at <= unsigned(b(3 downto 0)); end if;
      end if; end process; y <= mem(to_integer(at)) xor mem(3);`,
  },
  'a memory with an enabled read': clocked(
    `if we = '1' then mem(${low('a')}) <= b; end if; if c(6) = '1' then y <= mem(${low('c')}); end if;`,
    SIGNAL,
  ),
  'a table': {
    declares: `${MEMORY} constant table : mem_t := (x"01", x"23", x"45", x"67", x"89", x"ab", x"cd", x"ef", others => x"3c");`,
    body: `y <= table(${low('a')});`,
  },
  'an array of arrays': clocked(
    `if we = '1' then g(to_integer(unsigned(a(1 downto 0))))(to_integer(unsigned(c(1 downto 0)))) <= b(4 downto 0); end if;
     y <= "000" & g(to_integer(unsigned(b(1 downto 0))))(to_integer(unsigned(c(3 downto 2))));`,
    'type row is array (0 to 3) of std_logic_vector(4 downto 0); type grid is array (3 downto 0) of row; signal g : grid := (others => (others => "00000"));',
  ),
  'a bit of a word, both at variable places, in arrays whose sizes are no powers of two': clocked(
    `n <= to_integer(unsigned(b(7 downto 6))) mod 3; w(to_integer(unsigned(c(4 downto 2))) mod 7) <= unsigned(a(4 downto 0)); if we = '1' then g(to_integer(unsigned(b(1 downto 0))))(n)(to_integer(unsigned(a(2 downto 0)))) <= c(0); end if;
     y <= (0 => w(to_integer(unsigned(b(4 downto 2))) mod 7)(n + 2), 1 => g(to_integer(unsigned(c(1 downto 0))))(n)(to_integer(unsigned(b(2 downto 0)))), others => '0');`,
    `type words is array (0 to 6) of unsigned(4 downto 0); signal w : words := (others => "01101"); type plane is array (2 downto 0) of std_logic_vector(7 downto 0);
     type cube is array (0 to 3) of plane; signal g : cube := (others => (others => x"a6")); signal n : integer range 0 to 2 := 0;`,
  ),
  'remainders in smaller ranges, as parts of composites and as arguments': {
    declares: `subtype digit is integer range 0 to 9; type pair is record d : digit; e : digit; end record; signal p : pair; type list is array (0 to 1) of digit; signal q : list;
     function same(x : digit) return digit is begin return x; end function; signal m : integer range -8 to 7; signal n : integer range 0 to 15;`,
    body: `p <= (d => to_integer(unsigned(a(3 downto 0))) mod 10, e => (to_integer(unsigned(b)) + 1) rem 10); q <= (others => to_integer(unsigned(c)) mod 10);
     m <= to_integer(signed(b(3 downto 0))); n <= same(to_integer(unsigned(c)) mod 10) + (m mod 6);
     y <= std_logic_vector(to_unsigned(p.d, 4) xor to_unsigned(n, 4)) & std_logic_vector(to_unsigned(q(1), 4) xor to_unsigned(p.e, 4));`,
  },
  'elements of arrays that count up from a number other than 0': {
    declares:
      'type two is array (2 to 3) of std_logic; signal t : two; type five is array (5 to 9) of unsigned(1 downto 0); signal f : five;',
    body: `t <= (a(0), a(1)); f <= (unsigned(b(1 downto 0)), unsigned(b(3 downto 2)), unsigned(b(5 downto 4)), unsigned(b(7 downto 6)), "10");
     y <= "00000" & t(2 + to_integer(unsigned(c(2 downto 0))) mod 2) & std_logic_vector(f(5 + to_integer(unsigned(c(5 downto 3))) mod 5));`,
  },
  'an element of three': {
    declares:
      'type three is array (0 to 2) of std_logic_vector(7 downto 0); signal t : three := (x"01", x"02", x"03"); signal n : natural range 0 to 2 := 0;',
    body: `process (clk) begin if rising_edge(clk) then if n = 2 then n <= 0; else n <= n + 1; end if; if we = '1' then t(n) <= b; end if; end if; end process; y <= t(n);`,
  },
  'a bit that is chosen and set': clocked(
    "if we = '1' then s <= a; else s(to_integer(unsigned(a(2 downto 0)))) <= c(0); end if; y <= s; y(0) <= s(to_integer(unsigned(b(2 downto 0))));",
    'signal s : std_logic_vector(7 downto 0) := x"00";',
  ),
  'both edges, in two registers': {
    declares: 'signal p, q : std_logic_vector(7 downto 0) := x"00";',
    body: `process (clk) begin if falling_edge(clk) then p <= a; end if; end process;
     process (clk) begin if rising_edge(clk) then q <= p xor b; end if; end process; y <= q;`,
  },
  'an asynchronous reset': {
    declares: 'signal q : std_logic_vector(7 downto 0) := x"00";',
    body: `process (clk, we) begin if we = '1' then q <= x"3c"; elsif rising_edge(clk) then q <= a xor q; end if; end process; y <= q;`,
  },
  'a case with others, and several choices': clocked(
    `case a(2 downto 0) is when "000" | "101" => y <= b; when "001" => y <= c; when "010" => y <= not b; when "110" => y <= x"77"; when others => y <= b xor c; end case;`,
  ),
  'a record': clocked(
    `r.n <= r.n + 1; if we = '1' then r.v <= b; r.f <= a(0); end if; y <= r.v(7 downto 5) & r.f & std_logic_vector(r.n);`,
    'type rec is record f : std_logic; n : unsigned(3 downto 0); v : std_logic_vector(7 downto 0); end record; signal r : rec := (f => \'0\', n => x"0", v => x"00");',
  ),
  'a loop and a function': clocked(
    `y <= reverse(a) xor b;`,
    "function reverse(x : std_logic_vector) return std_logic_vector is variable r : std_logic_vector(x'reverse_range); begin for i in x'range loop r(i) := x(i); end loop; return r; end function;",
  ),
  'four choices by two bits': {
    declares: '',
    body: 'with a(1 downto 0) select y <= a when "00", b when "01", c when "10", x"99" when others;',
  },
};

/** Common ways of writing: declarations and statements that assign `r`. */
const WAYS: Readonly<Record<string, readonly [declares: string, body: string]>> = {
  'the edge by `event`': [
    '',
    "process (clk) begin if clk'event and clk = '1' then r(to_integer(n)) <= d0; end if; end process;",
  ],
  'a process that waits for the edge': [
    '',
    'process begin wait until rising_edge(clk); r(to_integer(n)) <= d0; end process;',
  ],
  'an enable beside the edge': [
    '',
    "process (clk) begin if rising_edge(clk) and en = '1' then r(to_integer(n)) <= d0; end if; end process;",
  ],
  'an enable around the edge': [
    '',
    "process (clk) begin if en = '1' then if rising_edge(clk) then r <= d; end if; end if; end process;",
  ],
  'a reset after the edge': [
    '',
    'process (clk, rst) begin if rising_edge(clk) then r <= d; end if; if rst = \'1\' then r <= x"00"; end if; end process;',
  ],
  'a process of all signals': [
    '',
    'process (all) begin if rising_edge(clk) then r <= d; end if; end process;',
  ],
  'an assignment at the edge': ['', 'r <= d when rising_edge(clk);'],
  'an assignment at the edge, with an enable': ['', "r <= d when rising_edge(clk) and en = '1';"],
  'a word of an array': [
    'type a_t is array (0 to 3) of std_logic_vector(7 downto 0); signal m : a_t;',
    atEdge("if en = '1' then m(to_integer(n(1 downto 0))) <= d; end if;") +
      ' r <= m(to_integer(n(1 downto 0)));',
  ],
  'a byte of a word of an array': [
    "type a_t is array (0 to 3) of std_logic_vector(31 downto 0); signal m : a_t := (others => (others => '0'));",
    atEdge("if en = '1' then m(to_integer(n(1 downto 0)))(7 downto 0) <= d; end if;") +
      ' r <= m(to_integer(n(1 downto 0)))(7 downto 0);',
  ],
  'a bit of a word of an array': [
    "type a_t is array (0 to 3) of std_logic_vector(7 downto 0); signal m : a_t := (others => (others => '0'));",
    `${atEdge('m(to_integer(n(1 downto 0)))(to_integer(n)) <= d0;')} r <= m(0);`,
  ],
  'words of an array by a loop': [
    "type a_t is array (0 to 3) of std_logic_vector(7 downto 0); signal m : a_t := (others => (others => '0'));",
    atEdge("for i in 0 to 3 loop if d(i) = '1' then m(i) <= d; end if; end loop;") +
      ' r <= m(to_integer(n(1 downto 0)));',
  ],
  'a bit of a vector in a record': [
    'type t is record a : std_logic_vector(7 downto 0); b : std_logic; end record; signal m : t;',
    `${atEdge('m.a(to_integer(n)) <= d0; m.b <= en;')} r <= m.a;`,
  ],
  'an array of numbers': [
    'type a_t is array (natural range <>) of integer range 0 to 255; signal m : a_t(0 to 3) := (1, 2, 3, 4);',
    atEdge('m(to_integer(n(1 downto 0))) <= to_integer(unsigned(d));') +
      ' r <= std_logic_vector(to_unsigned(m(to_integer(n(1 downto 0))), 8));',
  ],
  'an array of boolean values': [
    'type a_t is array (0 to 7) of boolean; signal m : a_t := (others => false);',
    atEdge("m(to_integer(n)) <= d0 = '1';") +
      " process (all) begin for i in 0 to 7 loop if m(i) then r(i) <= '1'; else r(i) <= '0'; end if; end loop; end process;",
  ],
  'an array of states': [
    'type e is (idle, busy, done); type a_t is array (0 to 3) of e; signal m : a_t := (others => idle);',
    `${atEdge(
      'case m(to_integer(n(1 downto 0))) is when idle => m(to_integer(n(1 downto 0))) <= busy; when others => m(to_integer(n(1 downto 0))) <= done; end case;',
    )} r <= x"01" when m(0) = busy else x"02";`,
  ],
  'an array of two dimensions': [
    'type a_t is array (0 to 1, 0 to 3) of std_logic_vector(7 downto 0); signal m : a_t;',
    atEdge('m(to_integer(n(2 downto 2)), to_integer(n(1 downto 0))) <= d;') +
      ' r <= m(0, to_integer(n(1 downto 0)));',
  ],
  'a procedure that assigns a bit of a signal': [
    'procedure put(signal s : out std_logic_vector; i : natural; v : std_logic) is begin s(i) <= v; end procedure;',
    atEdge('put(r, to_integer(n), d0);'),
  ],
  'a procedure with the edge': [
    'procedure reg(signal clk : in std_logic; signal s : out std_logic_vector(7 downto 0); signal v : in std_logic_vector(7 downto 0)) is begin if rising_edge(clk) then s <= v; end if; end procedure;',
    'reg(clk, r, d);',
  ],
  'a variable that shifts': [
    '',
    'process (clk) variable v : std_logic_vector(7 downto 0); begin if rising_edge(clk) then v := v(6 downto 0) & d0; r <= v; end if; end process;',
  ],
  'a variable that is read after the edge': [
    '',
    'process (clk) variable v : unsigned(7 downto 0) := x"00"; begin if rising_edge(clk) then v := v + 1; end if; r <= std_logic_vector(v); end process;',
  ],
  'a process for each bit': [
    '',
    'g : for i in 0 to 7 generate process (clk) begin if rising_edge(clk) then if to_integer(n) = i then r(i) <= d0; end if; end if; end process; end generate;',
  ],
  'a selected assignment with alternatives': [
    '',
    'with n select r <= x"01" when "000", x"02" when "001" | "010", d when others;',
  ],
  'a number that counts to nine': [
    'signal k : integer range 0 to 9 := 0;',
    `${atEdge('if k = 9 then k <= 0; else k <= k + 1; end if;')} r <= std_logic_vector(to_unsigned(k, 8));`,
  ],
  'an aggregate by positions': ['', atEdge("r <= (0 => d0, 1 => en, 7 downto 4 => '1', others => '0');")],
  'a bit of an alias': [
    'alias hi : std_logic_vector(3 downto 0) is r(7 downto 4);',
    atEdge('hi(to_integer(n(1 downto 0))) <= d0; r(3 downto 0) <= d(3 downto 0);'),
  ],
  'a bit that is inverted at the falling edge': [
    '',
    "process (clk, rst) begin if rst = '1' then r <= (others => '0'); elsif falling_edge(clk) then if en = '1' then r(to_integer(n)) <= not r(to_integer(n)); end if; end if; end process;",
  ],
  'a bit of a cleared vector': [
    '',
    atEdge("r <= (others => '0'); if en = '1' then r(to_integer(n)) <= '1'; end if;"),
  ],
  'a reset of some bits only': [
    '',
    atEdge('if rst = \'1\' then r(7 downto 4) <= "0000"; else r(to_integer(n)) <= d0; end if;'),
  ],
  'bits by a loop, at variable places': [
    '',
    atEdge('for i in 0 to 3 loop r((to_integer(n) + i) mod 8) <= d(i); end loop;'),
  ],
};

for (const [name, [declares, body]] of Object.entries(WAYS))
  CIRCUITS[name] = {
    declares: `signal r, d : std_logic_vector(7 downto 0) := (others => '0'); signal rst, en, d0 : std_logic := '0'; signal n : unsigned(2 downto 0) := "000"; ${declares}`,
    body: `d <= a; rst <= we; en <= c(7); d0 <= b(0); n <= unsigned(c(2 downto 0)); y <= r; ${body}`,
  };
