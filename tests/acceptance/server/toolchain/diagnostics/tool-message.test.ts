import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checkOf } from '../../../../../server/contract/check.ts';
import { Diagnostic } from '../../../../../server/contract/diagnostics.ts';
import { diagnosticLine, headline } from '../../../../../server/toolchain/diagnostics/text.ts';
import { toolMessage } from '../../../../../server/toolchain/diagnostics/tool-message.ts';
import { plainYosys } from '../../../../support/toolchain/support.ts';

const isDiagnostic = checkOf(Diagnostic);

/** Lines that Yosys 0.23 and 0.55, GHDL 2.0.0 and nextpnr 0.4 have printed. */
const RECORDED: [tool: string, line: string, finding: Partial<Diagnostic> | null][] = [
  [
    'yosys',
    "a.v:6: Warning: Identifier `\\undeclared' is implicitly declared.",
    { severity: 'warning', code: 'yosys_warning', file: 'a.v', line: 6, net: 'undeclared' },
  ],
  ['yosys', 'Warning: multiple conflicting drivers for m.\\w [1]:', { code: 'yosys_warning', net: 'm.w[1]' }],
  [
    'yosys',
    'Warning: Wire m.\\undeclared is used but has no driver.',
    { net: 'm.undeclared', message: '`undeclared` is read, but nothing drives it' },
  ],
  [
    'yosys',
    'Warning: Wire wishbench_top.\\user.user.part.r [7] is used but has no driver.',
    { net: 'part.r[7]', message: '`part.r[7]` is read, but nothing drives it' },
  ],
  [
    'yosys',
    'Warning: Wire wishbench_top.\\user.ack is used but has no driver.',
    { message: 'the output of the slave that serves as ack has no driver' },
  ],
  [
    'yosys',
    'Warning: Resizing cell port top.s.b from 4 bits to 8 bits.',
    { message: 'port b of instance s in top has 8 bits, but its connection has 4' },
  ],
  [
    'yosys',
    'Warning: Replacing memory \\s with list of registers. See a.v:5, a.v:6',
    {
      severity: 'warning',
      file: 'a.v',
      line: 5,
      message:
        '`s` becomes registers and multiplexers because of how it is used. That is fine for a few words; for many, write one word per clock, so that it becomes a memory',
    },
  ],
  [
    'yosys',
    "Warning: reg '\\r' is assigned in a continuous assignment at a.v:3.9-3.14.",
    { code: 'yosys_warning', file: 'a.v', line: 3, column: 9, net: 'r' },
  ],
  [
    'yosys',
    "a.v:3: Warning: Range select out of bounds on signal `\\a': Setting result bit to undef.",
    {
      file: 'a.v',
      line: 3,
      net: 'a',
      message: 'an index of `a` is out of range: there is nothing to read or write there',
    },
  ],
  ['yosys', '    port Q[1] of cell $procdff$5 ($dff)', null],
  ['yosys', '3.1. Executing HIERARCHY pass.', null],
  [
    'ghdl',
    'a.vhd:29:15: no declaration for "nothing"',
    {
      severity: 'error',
      code: 'ghdl_error',
      file: 'a.vhd',
      line: 29,
      column: 15,
      message: 'no declaration for "nothing"',
    },
  ],
  ['ghdl', '  wb_ack_o <= nothing;', null],
  ['ghdl', '              ^', null],
  [
    'ghdl',
    'a.vhd:5:3: latch infered for net "b" (use --latches)',
    { code: 'ghdl_error', line: 5, column: 3, net: 'b' },
  ],
  [
    'ghdl',
    'a.vhd:7:19: unit "missing" not found in library "work"',
    { code: 'ghdl_error', module: 'missing' },
  ],
  [
    'ghdl',
    '/usr/bin/ghdl-mcode: cannot find entity or configuration nope',
    { code: 'ghdl_error', file: 'a.v', module: 'nope' },
  ],
  [
    'nextpnr',
    "ERROR: Unable to place cell 's_SB_DFF_Q_350_DFFLC', no BELs remaining to implement cell type 'ICESTORM_LC'",
    { severity: 'error', code: 'nextpnr_error', net: 'base SoC: s' },
  ],
  [
    'nextpnr',
    'ERROR: timing analysis failed due to presence of combinatorial loops, incomplete specification of timing ports, etc.',
    { code: 'nextpnr_error' },
  ],
  ['nextpnr', "ERROR: package does not have a pin named 'ZZ9' (on line 1)", { code: 'nextpnr_error' }],
  [
    'nextpnr',
    'Warning: No PCF file specified; IO pins will be placed automatically',
    { severity: 'warning' },
  ],
  ['nextpnr', '1 warning, 1 error', null],
  ['nextpnr', 'Info: Packing constants..', null],
];

test.each(RECORDED)('%s: %s', (tool, line, expected) => {
  const finding = toolMessage(line, tool, ['a.v']);
  if (expected === null) expect(finding).toBeNull();
  else {
    expect(finding).toMatchObject(expected);
    expect(isDiagnostic(finding)).toBe(true);
  }
});

test.each([
  ['a.vhd:4:3:(assertion note): built with 4 channels', null],
  [
    'a.vhd:5:3:(assertion warning): odd width',
    { severity: 'warning', code: 'ghdl_warning', line: 5, message: 'odd width' },
  ],
  [
    'a.vhd:6:3:(assertion failure): no width',
    { severity: 'error', code: 'ghdl_error', line: 6, column: 3, message: 'no width' },
  ],
])('GHDL: a report of the design keeps its severity: %s', (line, expected) => {
  const finding = toolMessage(line, 'ghdl', ['a.vhd']);
  if (expected === null) expect(finding).toBeNull();
  else expect(finding).toMatchObject({ file: 'a.vhd', ...expected });
});

test('Amaranth: the harness gives line and column', () => {
  expect(toolMessage('a.py:3.1: ERROR: ValueError: on purpose', 'amaranth', ['a.py'])).toEqual({
    severity: 'error',
    code: 'amaranth_error',
    file: 'a.py',
    line: 3,
    column: 1,
    message: 'ValueError: on purpose',
  });
  expect(
    toolMessage('a.py:0: ERROR: no class or variable is called x', 'amaranth', ['a.py']),
  ).not.toHaveProperty('line');
});

test('any tool output yields a valid diagnostic on one line', () => {
  const word = fc.constantFrom(
    'ERROR',
    'Warning',
    'error',
    ': ',
    'a.v',
    ':',
    '0',
    '12',
    '.',
    '-',
    "'",
    '`',
    '\\',
    ' ',
  );
  const line = fc.array(fc.oneof(word, fc.string({ maxLength: 8 })), { maxLength: 16 });
  fc.assert(
    fc.property(line, fc.constantFrom('yosys', 'nextpnr', 'ghdl', 'amaranth'), (parts, tool) => {
      const text = parts.join('').replace(/[\r\n]/g, '');
      const finding = toolMessage(text, tool, ['a.v']);
      if (finding === null) return;
      expect(isDiagnostic(finding)).toBe(true);
      expect(diagnosticLine(finding)).not.toContain('\n');
    }),
    { numRuns: 2000 },
  );
});

describe('messages of the current Yosys', () => {
  async function findings(source: string, script: string): Promise<Diagnostic[]> {
    const found: Diagnostic[] = [];
    await plainYosys
      .run({
        tool: 'yosys',
        args: ['-q', '-p', `read_verilog a.v; ${script}`],
        files: { 'a.v': source },
        outputs: [],
        deadline: 60,
        onLine(line) {
          const finding = toolMessage(line, 'yosys', ['a.v']);
          if (finding) found.push(finding);
        },
      })
      .catch(() => {});
    return found;
  }

  test.each<[string, string, string, Partial<Diagnostic>]>([
    ['a syntax error', 'module m(input a);\n  assign = 1;\nendmodule', '', { code: 'yosys_error', line: 2 }],
    [
      'a module that is missing',
      'module m(input a);\n  nowhere u(.x(a));\nendmodule',
      'hierarchy -check',
      { code: 'yosys_error', module: 'nowhere' },
    ],
    [
      'a port that is missing',
      'module m(input a);\n  k u(.zz(a));\nendmodule\nmodule k(input x); endmodule',
      'hierarchy -check',
      { module: 'k', port: 'zz' },
    ],
    [
      'two drivers',
      'module m(input clk, a, output reg q);\n always @(posedge clk) q <= a;\n always @(posedge clk) q <= ~a;\nendmodule',
      'proc; check',
      { code: 'yosys_warning', net: 'm.q' },
    ],
    [
      'a net without a driver',
      'module m(output q);\n assign q = lost;\nendmodule',
      'proc; check',
      { code: 'yosys_warning', net: 'lost', line: 2 },
    ],
  ])('%s', async (_, source, script, expected) => {
    expect(await findings(source, script)).toContainEqual(expect.objectContaining(expected));
  });
});

test('the failure message names the first place and the number of errors', () => {
  const first: Diagnostic = {
    severity: 'error',
    code: 'yosys_error',
    file: 'a.v',
    line: 3,
    message: 'wrong',
  };
  expect(headline(first, 1)).toBe('a.v:3: wrong');
  expect(headline(first, 3)).toBe('a.v:3: wrong (and 2 more)');
  expect(headline({ severity: 'error', code: 'x', message: 'wrong' }, 1)).toBe('wrong');
});

test.each(['parallel_case', 'full_case', 'translate_off'])(
  'the old comment %s is not an error to fix',
  (word) => {
    const said = `Encountered \`${word}' comment! Such legacy hot comments are supported by Yosys, but are not part of`;
    expect(toolMessage(`Warning: ${said} any formal language specification.`, 'yosys', ['a.v'])).toBeNull();
  },
);
