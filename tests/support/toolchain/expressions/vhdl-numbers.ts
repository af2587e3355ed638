import { HEAD, PORTS, together } from '../frontends/vhdl/simulated.ts';
import { OPERAND_COUNT } from './processes.ts';

const CIRCUITS = 8;
/** Levels of statements within statements. */
const LEVELS = 2;

const DECLARATIONS = `type est is (zero, one, two, three); signal e : est := zero; type mt is array (0 to 3) of std_logic_vector(7 downto 0); signal m : mt := (x"12", x"34", x"56", x"78");
type rt is record u : unsigned(7 downto 0); k : integer range 0 to 15; end record; signal r : rt := (u => x"3c", k => 5);
signal s : unsigned(7 downto 0) := x"9b"; signal t : signed(7 downto 0) := x"e5"; signal n : integer range 0 to 15 := 7; signal f : boolean := false;
function first(x : unsigned(7 downto 0); k : natural) return unsigned is variable q : unsigned(7 downto 0) := x; begin if k > 9 then return not x; end if; for j in 0 to 7 loop if x(j) = '1' then q(7 - j) := '1'; exit; end if; end loop; return q; end function;
procedure count(variable v : inout unsigned; k : natural) is begin if k > 3 then v := v + k; else v(0) := not v(0); end if; end procedure;`;

const RESET =
  's <= x"5f"; t <= x"f0"; n <= 3; e <= two; m <= (others => x"b0"); r <= (u => x"11", k => 2); f <= true;';

/** All state in one byte. */
const STATE = `std_logic_vector(s xor unsigned(t) xor r.u xor to_unsigned(n, 8) xor to_unsigned(r.k * 16, 8) xor to_unsigned(est'pos(e) * 64, 8)) xor m(0) xor m(1) when f else std_logic_vector(s) xor m(2) xor m(3)`;

/**
 * Writes random circuits in VHDL: a clocked process of assignments, choices and loops over numbers, vectors, a record, an
 * array and an enumeration. No operator has constants alone: GHDL refuses some of these.
 */
export class NumberMaker {
  readonly #random: () => number;
  #inLoop = false;

  constructor(random: () => number) {
    this.#random = random;
  }

  make(): { text: string; outputs: number } {
    const circuits = Array.from({ length: CIRCUITS }, (_, at) => this.#entity(at));
    return { text: together(circuits, OPERAND_COUNT), outputs: CIRCUITS };
  }

  #entity(at: number): string {
    const name = `circuit${at}`;
    const body = `${this.#block(LEVELS)} ${this.#block(LEVELS)}`;
    const whole = this.#oneOf(body, `if we = '1' then ${RESET} else ${body} end if;`);
    return `${HEAD}
entity ${name} is ${PORTS}; end entity;
architecture rtl of ${name} is
${DECLARATIONS}
begin
process (clk) variable vu : unsigned(7 downto 0) := x"42"; variable vn : integer range 0 to 15 := 1; begin
if rising_edge(clk) then ${whole} end if; end process;
y <= ${STATE};
end architecture;
`;
  }

  #below = (limit: number) => Math.floor(this.#random() * limit);

  #oneOf = (...texts: readonly string[]) => texts[this.#below(texts.length)] ?? '';

  #make = (...makers: readonly (() => string)[]) => makers[this.#below(makers.length)]?.() ?? '';

  #input = () => this.#oneOf('a', 'b', 'c');

  #unsigned(depth: number): string {
    if (depth <= 0) return this.#oneOf('unsigned(a)', 'unsigned(b)', 'unsigned(c)', 's', 'vu', 'r.u');
    const [u, n] = [() => this.#unsigned(depth - 1), () => this.#number(depth - 1)];
    return this.#make(
      () => `(${u()} ${this.#oneOf('+', '-', 'and', 'xor')} ${u()})`,
      () => `(not ${u()})`,
      () => `(${u()} ${this.#oneOf('+', '-', 'mod')} ${1 + this.#below(19)})`,
      () => `shift_left(${u()}, ${n()} mod 8)`,
      () => `${this.#oneOf('shift_right', 'rotate_left')}(${u()}, ${this.#below(9)})`,
      () => `resize(s(3 downto 0) * unsigned(${this.#input()}(3 downto 0)), 8)`,
      () => `resize(s(7 downto ${1 + this.#below(6)}), 8)`,
      () => `to_unsigned(${n()}, 8)`,
      () => `unsigned(m(${n()} mod 4))`,
      () => `unsigned(${this.#signed(depth - 1)})`,
      () => "unsigned'(s(3 downto 0) & unsigned(a(7 downto 4)))",
      () => "resize(unsigned'('0' & s(6 downto 0)) / 3, 8)",
      () => `first(${u()}, ${n()})`,
    );
  }

  #signed(depth: number): string {
    if (depth <= 0) return this.#oneOf('signed(a)', 'signed(b)', 't');
    const s = () => this.#signed(depth - 1);
    return this.#make(
      () => `(${s()} + ${s()})`,
      () => `(-${s()})`,
      () => `abs(${s()})`,
      () => `shift_right(${s()}, ${this.#below(9)})`,
      () => 'resize(t(3 downto 0), 8)',
      () => 'resize(t(3 downto 0) * signed(b(3 downto 0)), 8)',
      () => `signed(${this.#unsigned(depth - 1)})`,
      () => `(${s()} - ${this.#below(9)})`,
    );
  }

  /** A number from 0 to 15. */
  #number(depth: number): string {
    if (depth <= 0)
      return this.#oneOf('n', 'vn', 'r.k', `((n + ${this.#inLoop ? 'i' : this.#below(16)}) mod 16)`);
    const n = () => this.#number(depth - 1);
    return this.#make(
      () => `((${n()} + ${n()}) mod 16)`,
      () => `((${n()} - ${n()}) mod 16)`,
      () => `((${n()} * 3) mod 16)`,
      () => `(${n()} / ${this.#oneOf('2', '4')})`,
      () => `(${n()} rem 4)`,
      () => `(15 - ${n()})`,
      () => `to_integer(unsigned(${this.#input()}(3 downto 0)))`,
      () => `to_integer(s(${2 + this.#below(3)} downto 1))`,
      () => `(to_integer(${this.#signed(depth - 1)}) mod 16)`,
      () => "est'pos(e)",
    );
  }

  #condition(depth: number): string {
    if (depth <= 0)
      return this.#oneOf("we = '1'", "a(5) = '1'", "s(2) = '0'", 'e = one', 'e /= two', 'f', 'r.k < n');
    const [u, c] = [() => this.#unsigned(depth - 1), () => this.#condition(depth - 1)];
    return this.#make(
      () => `${u()} ${this.#oneOf('<', '>=', '=', '/=')} ${u()}`,
      () => `${this.#signed(depth - 1)} < ${this.#signed(depth - 1)}`,
      () => `${this.#signed(depth - 1)} > ${this.#below(9) - 4}`,
      () => `${this.#number(depth - 1)} > ${this.#number(depth - 1)}`,
      () => `(${c()}) ${this.#oneOf('and', 'or')} (${c()})`,
      () => `not (${c()})`,
      () => `${u()} /= ${this.#below(256)}`,
      () => `e < ${this.#oneOf('one', 'two', 'three')}`,
    );
  }

  #bit = () =>
    this.#oneOf(
      "'0'",
      "'1'",
      `a(${this.#below(8)})`,
      `m(${this.#below(4)})(${this.#below(8)})`,
      `a(${this.#number(0)} mod 8)`,
    );

  #block(depth: number): string {
    return Array.from({ length: 1 + this.#below(3) }, () => this.#statement(depth)).join(' ');
  }

  #statement(depth: number): string {
    if (depth <= 0 || this.#random() < 0.5) return this.#assignment();
    const block = () => this.#block(depth - 1);
    return this.#make(
      () =>
        `if ${this.#condition(2)} then ${block()} ${this.#oneOf('', `elsif ${this.#condition(1)} then ${block()}`, `else ${block()}`)} end if;`,
      () =>
        `case e is when zero => ${block()} when one | two => ${block()} when others => ${block()} end case;`,
      () =>
        `case ((n + ${this.#number(1)}) mod 16) is when 0 to 3 | 9 => ${block()} when 4 | 5 => ${block()} when others => ${block()} end case;`,
      () =>
        `case b(2 downto 0) is when "000" | "101" => ${block()} when "110" => ${block()} when others => null; end case;`,
      () => this.#loop(depth),
    );
  }

  #loop(depth: number): string {
    if (this.#inLoop) return this.#assignment();
    this.#inLoop = true;
    const [before, behind] = [this.#block(depth - 1), this.#block(depth - 1)];
    this.#inLoop = false;
    const left = this.#oneOf('', `exit when ${this.#condition(0)};`, `next when ${this.#condition(0)};`);
    return `for i in ${this.#oneOf('0 to 3', '3 downto 0', '1 to 2')} loop ${before} ${left} ${behind} end loop;`;
  }

  #assignment(): string {
    const [u, n] = [() => this.#unsigned(2), () => this.#number(1)];
    return this.#make(
      () => `s <= ${u()};`,
      () => `s(${this.#below(8)}) <= ${this.#bit()};`,
      () => `s(${n()} mod 8) <= ${this.#bit()};`,
      () => 's(6 downto 3) <= unsigned(b(5 downto 2));',
      () => `t <= ${this.#signed(2)};`,
      () => `n <= ${this.#number(2)};`,
      () => `e <= ${this.#oneOf('zero', 'one', 'two', 'three')};`,
      () => `f <= ${this.#condition(1)};`,
      () => `m(${n()} mod 4) <= std_logic_vector(${u()});`,
      () => `m(${this.#below(4)})(${this.#below(8)}) <= ${this.#bit()};`,
      () => `r <= (u => ${u()}, k => ${n()});`,
      () =>
        `r.${this.#make(
          () => `u <= ${u()}`,
          () => `k <= ${n()}`,
        )};`,
      () => `vu := ${u()}; if ${this.#condition(1)} then vu := ${u()}; end if; s <= vu;`,
      () => `vn := ${n()};`,
      () => `vu(${this.#below(8)}) := ${this.#bit()};`,
      () => `count(vu, ${n()});`,
    );
  }
}
