import { expect, test } from 'vitest';
import { withoutFileParts } from '../../../../server/toolchain/scan/rewrites/vhdl-file-parts.ts';

const PACKAGE = `library ieee; use ieee.std_logic_1164.all; use std.textio.all;
package words is
  subtype word is std_logic_vector(31 downto 0);
  type bytes is file of character;
  procedure dump(file f : text; w : in word);
  procedure say(what : in string);
  procedure say(file f : text; what : in string);
  impure function load(name : string) return word;
  function "+"(a, b : word) return word;
end package;
package body words is
  file log : text open write_mode is "log.txt";
  procedure dump(file f : text; w : in word) is
    variable l : line;
  begin
    for i in w'range loop
      if w(i) = '1' then write(l, 1); end if;
    end loop;
    writeline(f, l);
  end procedure dump;
  procedure say(what : in string) is begin
    report what;
  end procedure;
  procedure say(file f : text; what : in string) is begin end;
  impure function load(name : string) return word is
    file f : text open read_mode is name;
    function twice(a : word) return word is begin return a; end function;
  begin
    return twice((others => '0'));
  end function;
  function "+"(a, b : word) return word is begin return a; end function;
end package body;
`;
const ENTITY = `use work.words.all;
entity part is port (a : in word; b : out word); end entity;
architecture rtl of part is begin
  b <= a + a;
  process (a) begin say("hello"); end process;
end architecture;
`;

const without = (...texts: string[]) => {
  const notes: string[] = [];
  return { texts: withoutFileParts(texts, notes), notes };
};

test('what only tests can call is taken out of a package, line for line', () => {
  const { texts, notes } = without(PACKAGE, ENTITY);
  const [text = ''] = texts;
  expect(text).not.toMatch(/\bfile\b/);
  expect(text.split('\n')).toHaveLength(PACKAGE.split('\n').length);
  expect(text).toContain('report what;');
  expect(text.match(/function "\+"/g)).toHaveLength(2);
  expect(text).not.toContain('twice');
  expect(texts[1]).toBe(ENTITY);
  expect(notes).toEqual([
    'bytes, dump, say, log, load: left out, for a design reads and writes no files, and nothing of it calls these',
  ]);
});

test('what a testbench calls is not needed', () => {
  const bench = `use work.words.all;
entity bench is end entity;
architecture sim of bench is signal w : word := load("x.txt"); begin
  process begin say(output, "done"); wait; end process;
end architecture;
`;
  expect(without(PACKAGE, bench).texts[0]).not.toMatch(/\bfile\b/);
});

test('what the design needs stays, and is refused there', () => {
  const { texts } = without(PACKAGE, ENTITY.replace('a + a', 'a + load("x.txt")'));
  expect(texts[0]).toContain('file f : text open read_mode is name;');
  expect(texts[0]).not.toContain('file log');
  const said = without(PACKAGE, ENTITY.replace('say("hello")', 'say(output, "hello")'));
  expect(said.texts[0]).toContain('procedure say(file f : text;');
});

test('a text that is no VHDL holds nothing up', () => {
  for (const piece of [
    'function f is ',
    'function f( ',
    'procedure ',
    'end ',
    'function f(a : b) return c is new ',
  ]) {
    const text = `  file f : t is\n${piece.repeat(40_000)}`;
    // With the square of its pieces this would take minutes, which the runner ends.
    expect(without(text, PACKAGE).texts).toHaveLength(2);
  }
});
