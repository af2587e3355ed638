import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  checkFileReferences,
  neutraliseFileReferences,
} from '../../../server/toolchain/scan/file-references.ts';

const check = (text: string) => neutraliseFileReferences(text, 'm.v', 'verilog');
const lines = (text: string, name = 'm.v') => checkFileReferences(text, name).map(({ line }) => line);

describe('Verilog', () => {
  test.each([
    ['an include', 'module m;\n`include "/etc/passwd"\nendmodule', [2]],
    ['an include of a neighbour', '`include "defines.v"\n', [1]],
    ['an include in angle brackets', '`include <defines.v>\n', [1]],
    ['an include by macro', '`define F "/etc/passwd"\n`include `F\n', [2]],
    ['an include inside a macro', '`define I `include "/etc/passwd"\n`I\n', [1]],
    ['$readmemh of a host file', 'initial\n$readmemh("/etc/passwd", m);', [2]],
    ['$readmemb of a host file', 'initial $readmemb ( "../x" , m);', [1]],
    ['a drive letter', 'initial $readmemh("C:/x", m);', [1]],
    ['a share', 'initial $readmemh("\\\\\\\\host\\\\x", m);', [1]],
    ['a home', 'initial $readmemh("~/x", m);', [1]],
    ['a way out of a folder', 'initial $readmemh("a/../../x", m);', [1]],
    ['a task without its bracket', '`define R $readmemh\ninitial `R("/etc/passwd", m);', [1]],
    ['a function of the host', 'import "DPI-C" function int system(string s);', [1]],
    ['the older spelling of it', 'import "DPI" function int system(string s);', [1]],
    ['a directive by pasting', '`define X `inc``lude "/etc/passwd"\n`X', [1, 1]],
    ['a task by pasting', '`define X $read``memh("/etc/passwd", m)\n`X', [1, 1]],
    ['a task by pasting an argument', '`define P(x) x``memh("/etc/passwd", m)\n`P($read)', [2]],
    ['an escaped name that is none to a preprocessor', '\\`include "x"', [1]],
    ['a branch that is live', '`ifdef SYNTHESIS\n`include "x"\n`endif', [2]],
    ['the other branch of one that is not', '`ifdef SIM\n`else\n`include "x"\n`endif', [3]],
    ['an elsif that holds', '`ifdef SIM\n`elsif YOSYS\n`include "x"\n`else\n`include "y"\n`endif', [3]],
    [
      'a name defined before',
      '`define A\n`ifdef A\n`include "x"\n`endif\n`undef A\n`ifdef A\n`include "y"\n`endif',
      [3],
    ],
  ])('%s is reported at its line', (_, text, expected) => {
    expect(lines(text)).toEqual(expected);
  });

  test.each([
    ['comments', '// `include "x"\n/* $readmemh("/x", m) */'],
    ['strings', 'initial $display("`include and $readmemh(\\"/etc/passwd\\")");'],
    ['a branch for simulation', '`ifdef SIM\n`include "/etc/passwd"\n`endif'],
    ['a part hidden from synthesis', '// synthesis translate_off\n`include "x"\n// synthesis translate_on'],
    ['an empty file name', 'initial $readmemh("", m);'],
    ['a parameter', 'parameter F = "";\ninitial if (F != "") $readmemh(F, m);'],
    ['pasting of plain names', '`define R(n) reg r_``n;\n`R(a)\ninitial $display("%d", $clog2(4));'],
  ])('%s give no error', (_, text) => {
    expect(lines(text)).toEqual([]);
  });

  test('a computed file name is replaced, so that nothing can be read by it', () => {
    const text = 'initial $readmemh({"/e", "tc/pass",\n "wd"}, m, 0, 3);\ninitial $readmemb(F, m);\n';
    const checked = check(text);
    expect(checked.diagnostics).toEqual([]);
    expect(checked.text).not.toContain('pass');
    expect(checked.text.split('\n')).toHaveLength(text.split('\n').length);
    expect(checked.text).toMatch(/^initial \$readmemh\("file-not-in-upload"\s*, m, 0, 3\);/);
  });

  test('what a live branch may not do, a dead one cannot do either', () => {
    const checked = check(
      '`ifdef SIM\n`include "/etc/passwd"\ninitial $readmemh("/etc/passwd", m);\nimport "DPI-C" function int f();\n`endif',
    );
    expect(checked.diagnostics).toEqual([]);
    expect(checked.text).not.toMatch(/include|passwd|DPI/);
  });

  test('an include of a time scale is left out with a note', () => {
    const checked = check('`include "timescale.v"\nmodule m; endmodule\n');
    expect(checked.diagnostics).toEqual([]);
    expect(checked.notes).toHaveLength(1);
    expect(checked.text).not.toContain('include');
  });

  test('no arrangement of pieces leaves a way to a host file', () => {
    const piece = fc.constantFrom(
      '`include',
      '"/etc/passwd"',
      '$readmemh',
      '(',
      ')',
      ',',
      ' ',
      '\n',
      '//',
      '/*',
      '*/',
      '"',
      '\\',
      '`ifdef A',
      '`ifdef YOSYS',
      '`else',
      '`endif\n',
      '`define X ',
      '// synthesis translate_off\n',
      '// synthesis translate_on\n',
      'm',
      '{',
      '}',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
        const text = pieces.join('');
        const { text: safe, diagnostics } = check(text);
        expect(safe.split('\n')).toHaveLength(text.split('\n').length);
        if (diagnostics.length > 0) return;
        expect(safe).not.toMatch(/`include(?![\w$])/);
        expect(safe).not.toMatch(/(?<![\w$])\$readmemh\s*\(\s*"\/etc/);
      }),
      { numRuns: 2000 },
    );
  });

  test('any text is taken', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
        expect(check(text).text.split('\n')).toHaveLength(text.split('\n').length);
      }),
    );
  });
});

describe('VHDL', () => {
  test('files and functions of the host are refused, comments and simulation parts are not', () => {
    const text = `
      -- file f : text;
      file f : text open read_mode is "/etc/passwd";
      signal s : string := "file";
      attribute foreign of p : procedure is "VHPIDIRECT system";
      -- synthesis translate_off
      file g : text;
      -- synthesis translate_on
    `;
    expect(lines(text, 'm.vhd')).toEqual([3, 5]);
    expect(neutraliseFileReferences(text, 'm.vhd', 'vhdl').text).not.toContain('file g');
  });
});
