import { afterAll, describe, expect, test } from 'vitest';
import { systemClock } from '../../../server/clock.ts';
import { findGhdl } from '../../../server/toolchain/frontends/vhdl/ghdl.ts';
import { deepestVhdlNesting } from '../../../server/toolchain/languages/vhdl/vhdl-nesting.ts';
import { example, freshToolchain, record, refusal, requestOf } from '../build/support.ts';

const each = (count: number, make: (at: number) => string) =>
  Array.from({ length: count }, (_, at) => make(at)).join('');
const architecture = (body: string) => `architecture rtl of d is begin\n${body}\nend architecture;`;
const process = (body: string) => architecture(`process (clk) begin\n${body}\nend process;`);

describe('levels of what lies within each other in VHDL', () => {
  test.each([
    ['operators', 'x <= a + b * c ** d;', 3],
    ['brackets', `x <= ${'f('.repeat(50)}a${')'.repeat(50)};`, 50],
    ['brackets and operators', `x <= ${'(a + '.repeat(50)}a${')'.repeat(50)};`, 100],
    ['words that are operators', `x <= ${'a and '.repeat(50)}b;`, 50],
    ['expressions side by side', `x <= f(${'a + b, '.repeat(50)}c);`, 2],
    ['statements side by side', `x <= a + b; ${'y <= c + d;'.repeat(50)}`, 1],
    ['comments and strings', `x <= a; -- ${'('.repeat(50)}\ny <= "${'('.repeat(50)}" & '(';`, 1],
  ])('%s', (_, text, levels) => {
    expect(deepestVhdlNesting(architecture(text))).toEqual({
      what: expect.any(String),
      levels,
      line: expect.any(Number),
    });
  });

  test.each([
    ['if', `${'if a then\n'.repeat(50)} null; ${'end if;'.repeat(50)}`, 52],
    ['elsif', `if a then null; ${'elsif a then null; '.repeat(50)} else null; end if;`, 3],
    ['case', `${'case a is when others =>\n'.repeat(50)} null; ${'end case;'.repeat(50)}`, 52],
    ['loops', `${each(50, (at) => `for i${at} in 0 to 1 loop\n`)} null; ${'end loop;'.repeat(50)}`, 52],
    [
      'side by side',
      'if a then null; end if; for i in x loop null; end loop; case a is when others => null; end case;'.repeat(
        50,
      ),
      3,
    ],
  ])('%s', (_, text, levels) => {
    expect(deepestVhdlNesting(process(text))).toEqual({ what: 'statements', levels, line: 3 });
  });

  test.each([
    ['generate', each(50, (at) => `g${at}: for i in 0 to 0 generate\n`) + 'end generate;'.repeat(50), 51],
    ['if generate', each(50, (at) => `g${at}: if a generate\n`) + 'end generate;'.repeat(50), 51],
    ['generate side by side', 'g: if a generate p; else generate q; end generate;'.repeat(50), 2],
    ['procedures', each(50, (at) => `procedure p${at} is\n`) + 'begin end procedure;'.repeat(50), 51],
    ['their declarations', 'procedure p; function f return bit;'.repeat(50), 1],
  ])('%s', (_, text, levels) => {
    expect(deepestVhdlNesting(architecture(text))).toMatchObject({ what: 'statements', levels });
  });
});

const ghdl = await findGhdl(systemClock);
if (!ghdl) globalThis.process.stderr.write('GHDL is not installed: its stack is not tested\n');

describe.skipIf(!ghdl)('what takes all of the stack of GHDL', () => {
  // Without a sandbox: nothing in these sources reaches for a file.
  const { toolchain, dispose } = freshToolchain({
    sandbox: async () => ({ kind: 'missing', reason: 'not asked for' }),
    vhdlWithoutSandbox: () => true,
  });
  afterAll(dispose);
  const COUNT = 30_000;
  const source = example('stopwatch.vhd');
  const lines = source.split('\n');
  const line = lines.findIndex((text) => text.includes('wb_ack_o <= ack;')) + 1;

  test.each([
    [
      'an expression',
      `wb_ack_o <= ${'std_logic('.repeat(COUNT)}ack${')'.repeat(COUNT)};`,
      line,
      /^this expression is 30,0\d\d levels deep /,
    ],
    [
      'statements',
      `wb_ack_o <= ack; process (all) begin\n${"if ack = '1' then ".repeat(COUNT)} null; ${'end if; '.repeat(COUNT)} end process;`,
      line + 1,
      /^these statements lie within each other 30,00\d levels deep; /,
    ],
  ])('%s: refused with the line', async (_, text, at, said) => {
    const error = await refusal(
      toolchain.build(
        requestOf(
          source.replace('wb_ack_o <= ack;', () => text),
          'deep.vhd',
        ),
        record(),
      ),
    );
    expect(error.code).toBe('design_invalid');
    const diagnostics = error.diagnostics ?? [];
    expect(diagnostics[0]).toMatchObject({
      severity: 'error',
      code: 'design_invalid',
      file: 'deep.vhd',
      line: at,
    });
    expect(diagnostics[0]?.message).toMatch(said);
  });
});
