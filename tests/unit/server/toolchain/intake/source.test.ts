import { describe, expect, test } from 'vitest';
import { BenchError } from '../../../../../server/errors/bench-error.ts';
import { prepareSource as prepare } from '../../../../../server/toolchain/intake/source.ts';

const MODULE = 'module m(input a, output b);\n  assign b = a; // Größe\nendmodule\n';
const utf8 = (text: string) => new TextEncoder().encode(text);
const latin1 = (text: string) => new Uint8Array(Buffer.from(text, 'latin1'));
const utf16 = (text: string, big: boolean) => {
  const bytes = Buffer.from(`\ufeff${text}`, 'utf16le');
  return new Uint8Array(big ? bytes.swap16() : bytes);
};
const prepareSource = (...upload: Parameters<typeof prepare>) => {
  const design = prepare(...upload);
  const [filename = ''] = design.units;
  return { ...design, filename, text: String(design.files[filename]) };
};
const codeOf = (bytes: Uint8Array, name = 'm.v', limit?: number) => {
  try {
    prepareSource(bytes, name, limit);
  } catch (error) {
    expect(error).toBeInstanceOf(BenchError);
    return (error as BenchError).code;
  }
  return null;
};

describe('encodings', () => {
  test.each([
    ['UTF-8', utf8(MODULE), []],
    ['UTF-8 with a byte order mark', utf8(`\ufeff${MODULE}`), [/byte order mark/]],
    ['Latin-1', latin1(MODULE), [/Latin-1/]],
    ['UTF-16, little end first', utf16(MODULE, false), [/UTF-16LE/]],
    ['UTF-16, big end first', utf16(MODULE, true), [/UTF-16BE/]],
    ['line ends of Windows', utf8(MODULE.replaceAll('\n', '\r\n')), []],
    ['line ends of old Macs', utf8(MODULE.replaceAll('\n', '\r')), []],
    ['the end mark of DOS', utf8(`${MODULE}\u001a`), []],
    ['no line end at the end', utf8(MODULE.trimEnd()), []],
  ])('%s is read', (_, bytes, notes) => {
    const source = prepareSource(bytes, 'm.v');
    expect(source.text).toBe(MODULE);
    expect(source.notes).toHaveLength(notes.length);
    for (const [at, note] of notes.entries()) expect(source.notes[at]).toMatch(note);
  });

  test('replacement characters in comments are accepted', () => {
    const lost = MODULE.replace('Größe', 'Gr\ufffd\ufffde');
    for (const bytes of [utf8(lost), utf16(lost, false)]) expect(prepareSource(bytes, 'm.v').text).toBe(lost);
  });

  test('invisible spaces become spaces, with a note', () => {
    const source = prepareSource(utf8(MODULE.replace('  assign', '\u00a0\u200bassign')), 'm.v');
    expect(source.text).toBe(MODULE);
    expect(source.notes).toEqual(['2 no-break or invisible spaces were replaced by spaces']);
  });
});

describe('files that are no source', () => {
  test.each([
    ['nothing', new Uint8Array(), 'design_empty'],
    ['blanks', utf8(' \n\t\n'), 'design_empty'],
    ['only a byte order mark', utf8('\ufeff'), 'design_empty'],
    ['only comments', utf8('// one\n/* two\n three */\n'), 'design_empty'],
    ['an unfinished comment', utf8('/* two\n three'), 'design_empty'],
    ['zero bytes', new Uint8Array(100), 'design_binary'],
    ['UTF-16 without a mark', utf16(MODULE, false).slice(2), 'design_binary'],
    ['a ZIP archive', utf8('PK\u0003\u0004rest'), 'design_binary'],
    ['an executable', utf8('\u007fELF'), 'design_binary'],
    ['a bitstream', new Uint8Array([0xff, 0, 0, 0xff, 0x7e, 0xaa, 0x99, 0x7e]), 'design_binary'],
    ['UTF-16 that breaks off', utf16(MODULE, false).slice(0, -1), 'design_binary'],
    ['text with a control character', utf8(`${MODULE}\u0001`), 'design_binary'],
  ])('%s is refused', (_, bytes, code) => {
    expect(codeOf(bytes)).toBe(code);
  });

  test('a source of exactly the limit is accepted', () => {
    const bytes = utf8(MODULE);
    expect(codeOf(bytes, 'm.v', bytes.length)).toBeNull();
    expect(codeOf(bytes, 'm.v', bytes.length - 1)).toBe('design_too_large');
    expect(codeOf(new Uint8Array(1024 * 1024 + 1).fill(32))).toBe('design_too_large');
  });
});

describe('a testbench', () => {
  const bench = (name: string, head = '') =>
    `module ${name}${head};\n  reg clk;\n  always #5 clk = ~clk; // module x (a)\n  initial begin @(posedge clk); $finish; end\nendmodule\n`;
  const VHDL_BENCH = `library ieee; use ieee.std_logic_1164.all; use std.textio.all;
entity tb is end entity;
architecture sim of tb is
  file log : text open write_mode is "log.txt";
begin
  process begin wait for 10 ns; end process;
end architecture;
`;
  const VHDL = `library ieee; use ieee.std_logic_1164.all;
entity m is port (a : in std_logic; b : out std_logic); end entity;
architecture rtl of m is begin b <= a; end architecture;
`;

  test.each([
    ['in Verilog', 'tb.v', `\n${bench('tb')}`, 'module tb'],
    ['with empty brackets', 'tb.sv', `\n${bench('tb', ' #(parameter P = (1)) ()')}`, 'module tb'],
    ['in VHDL', 'tb.vhd', VHDL_BENCH, 'entity tb'],
  ])('alone is reported: %s', (_, name, text, what) => {
    const [found] = prepareSource(utf8(text), name).diagnostics;
    expect(found).toMatchObject({ code: 'design_no_slave', file: name, line: 2, module: 'tb' });
    expect(found?.message).toMatch(new RegExp(`^${what} is a testbench: .+ upload the design that it tests`));
  });

  test.each([
    ['in Verilog', 'm.v', MODULE, bench('m_tb'), 'm_tb is a testbench and is not read'],
    ['two of them', 'm.v', MODULE, bench('a') + bench('b'), 'a, b are testbenches and are not read'],
    ['in VHDL', 'm.vhd', VHDL, VHDL_BENCH, 'tb is a testbench and is not read'],
  ])('in one file with the design is ignored: %s', (_, name, design, benches, note) => {
    for (const text of [design + benches, benches + design]) {
      const source = prepareSource(utf8(text), name);
      expect(source.diagnostics).toEqual([]);
      expect(source.notes).toEqual([note]);
      expect(source.text.trim()).toBe(design.trim().replace(/ *\/\/.*/, (comment) => comment));
      expect(source.text.split('\n')).toHaveLength(text.split('\n').length);
    }
  });

  test('leaves blank lines, without white space longer than tools can read at once', () => {
    const long = bench('tb').replace('$finish;', '#10 a = 1; '.repeat(20_000));
    const { text } = prepareSource(utf8(`${long.replaceAll('; ', ';\n ')}${MODULE}`), 'm.v');
    expect(/\s*/.exec(text)?.[0].length).toBeLessThan(65_536);
    expect(text.indexOf('module')).toBeGreaterThan(0);
  });

  test.each([
    ['a module without ports that does nothing', 'm.v', 'module m;\nendmodule\n'],
    ['one with ports that ends simulations', 'm.v', bench('m', ' (input a)')],
    ['one with imports before its ports', 'm.sv', bench('m', ' import p::*; import q::c; (input a)')],
    ['one whose parameters have brackets', 'm.v', bench('m', ' #(parameter P = (1)) (input a)')],
    ['a package', 'm.vhd', `package p is constant C : natural := 1; end package;\n${VHDL}`],
  ])('is not detected: %s', (_, name, text) => {
    const source = prepareSource(utf8(text), name);
    expect(source.notes.filter((note) => note.includes('testbench'))).toEqual([]);
    expect(source.diagnostics.filter(({ code }) => code === 'design_no_slave')).toEqual([]);
  });
});

test('deceptive characters are reported with their position', () => {
  const text = MODULE.replace(';', '; /* \u202e */ // \u2066\u0085');
  expect(prepareSource(utf8(text), 'm.v').notes).toEqual([
    expect.stringMatching(/^line 1, column \d+: .*\[U\+202E\]/),
    expect.stringContaining('[U+2066]'),
    expect.stringContaining('[U+0085]'),
  ]);
  const many = prepareSource(utf8(`${MODULE}// ${'\u202e'.repeat(500)}`), 'm.v').notes;
  expect(many).toHaveLength(11);
  expect(many.at(-1)).toContain('490 more');
});

describe('language and name', () => {
  test.each([
    ['a.v', 'verilog'],
    ['a.V', 'verilog'],
    ['a.vh', 'verilog'],
    ['a.sv', 'systemverilog'],
    ['a.svh', 'systemverilog'],
    ['a.vhd', 'vhdl'],
    ['a.VHDL', 'vhdl'],
    ['a.py', 'amaranth'],
    ['noextension', 'verilog'],
    ['design.txt', 'verilog'],
  ])('%s is %s', (name, language) => {
    expect(prepareSource(utf8(MODULE), name).language).toBe(language);
  });

  test('without a known extension the content decides', () => {
    const vhdl = prepareSource(utf8('entity e is\nend entity;\n'), 'upload');
    expect(vhdl).toMatchObject({ language: 'vhdl', filename: 'upload.vhd' });
    expect(vhdl.notes).toHaveLength(1);
    expect(prepareSource(utf8('from amaranth.hdl import *\n'), 'x').language).toBe('amaranth');
    expect(codeOf(utf8('#include <stdio.h>\nint main() {}\n'), 'main.c')).toBe('design_language');
    expect(codeOf(utf8('hello\n'), 'upload')).toBe('design_language');
  });

  test.each([
    ['../../etc/passwd.v', 'passwd.v'],
    ['C:\\work\\top.v', 'top.v'],
    ['-o out.v', 'o_out.v'],
    ['.v', 'v.v'],
    ['a; rm -rf.v', 'a__rm_-rf.v'],
    ['"; shell ls.v', '___shell_ls.v'],
    ['wishbench_top.v', 'user_wishbench_top.v'],
    ['größe.sv', 'gr__e.sv'],
    ['nul.v', 'user_nul.v'],
    ['CON.v', 'user_CON.v'],
    ['aux.tar.sv', 'user_aux.tar.sv'],
    ['com1.vhd', 'user_com1.vhd'],
    ['COM¹.v', 'user_COM_.v'],
    ['lpt9 .v', 'user_lpt9_.v'],
    ['prn', 'user_prn.v'],
    ['nul.v. ', 'user_nul.v.v'],
    ['CONIN$.v', 'user_CONIN_.v'],
    ['console.v', 'console.v'],
    ['com10.v', 'com10.v'],
    ['\u202evhd.v', '_vhd.v'],
    [`${'x'.repeat(300)}.v`, `${'x'.repeat(80)}.v`],
  ])('%s is known to the tools as %s', (name, safe) => {
    expect(prepareSource(utf8(MODULE), name).filename).toBe(safe);
  });
});
