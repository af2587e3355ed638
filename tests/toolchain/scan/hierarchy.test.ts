import { afterAll, describe, expect, test } from 'vitest';
import { toolchainError } from '../../../server/errors/toolchain.ts';
import { depthBelow } from '../../../server/toolchain/scan/hierarchy.ts';
import type { ToolEngine } from '../../../server/toolchain/toolchain.ts';
import { freshToolchain, record, refusal, requestOf } from '../pipeline/support.ts';
import { plainYosys, scanText } from '../support.ts';
import { slave } from './slave.ts';

const { toolchain, dispose } = freshToolchain({ engine: 'embedded' });
/** One whose synthesis is ended soon. */
const hurried = freshToolchain({ engine: 'embedded', deadlines: { synthesis: 2 } });
afterAll(() => Promise.all([dispose(), hurried.dispose()]));

/** So many modules, each with the next in it. */
const chain = (levels: number) =>
  Array.from({ length: levels }, (_, at) => {
    const body = at + 1 < levels ? `m${at + 1} i(a, b);` : 'assign b = a;';
    return `module m${at}(input a, output b); ${body} endmodule\n`;
  }).join('');

describe('modules that lie deeply within each other', () => {
  test('are refused with the line and the depth', async () => {
    const { matched, diagnostics } = await toolchain.scan(
      requestOf(slave('  m0 i(wb_we, wb_dat_r[0]);', chain(3000))),
      record(),
    );
    expect(matched).toBeNull();
    expect(diagnostics).toEqual([
      {
        severity: 'error',
        code: 'design_invalid',
        file: 'design.v',
        line: 3000,
        column: expect.any(Number),
        module: 'm2999',
        message:
          'modules lie within each other 3,001 levels deep, from slave down to m2999; the bench takes on 1,000: instantiate some of them side by side',
      },
    ]);
  }, 120_000);

  test('are warned of where they take long, and else nothing is said', async () => {
    const warned = await scanText(slave('  m0 i(wb_we, wb_dat_r[0]);', chain(249)));
    expect(warned.matched?.module).toBe('slave');
    expect(warned.diagnostics).toMatchObject([{ severity: 'warning', line: 249, module: 'm248' }]);
    expect(warned.diagnostics[0]?.message).toMatch(
      /^modules lie within each other 250 levels deep, from slave/,
    );
    const plain = await scanText(slave('  m0 i(wb_we, wb_dat_r[0]);', chain(248)));
    expect(plain.diagnostics).toEqual([]);
  }, 60_000);
});

test('the depth is that of the longest way, and what leads back does not count', () => {
  const place = {};
  const modules = (of: Record<string, string[]>) =>
    new Map(
      Object.entries(of).map(([name, inner]) => [
        name,
        { name, place, instances: inner.map((module) => ({ module, name: 'i', place })) },
      ]),
    );
  const levels = (of: Record<string, string[]>) => {
    const depth = depthBelow('a', modules(of));
    return depth && [depth.levels, depth.deepest.name];
  };
  expect(levels({})).toBeNull();
  expect(levels({ a: [] })).toEqual([1, 'a']);
  expect(levels({ a: ['d', 'b', 'nowhere'], b: ['c'], c: ['d'], d: [] })).toEqual([4, 'd']);
  expect(levels({ a: ['b'], b: ['a', 'c'], c: ['c'] })).toEqual([3, 'c']);
  // Two ways at each level are a thousand levels in no time.
  const ladder = Object.fromEntries(
    Array.from({ length: 1000 }, (_, at) => [`${at}`, [`${at + 1}`, `${at + 1}`]]),
  );
  expect(levels({ a: ['0', '0'], ...ladder, 1000: [] })).toEqual([1002, '1000']);
});

/** Two modules within each other, under a condition that only the tool can compute. */
const UNKNOWN = slave(
  '  ping #(4) i(wb_we, wb_dat_r[0]);',
  `module ping #(parameter N = 1) (input a, output b);
  generate if ($unsigned(N) + $bits(N) > 0) pong #(N + 1) p(a, b); else assign b = a; endgenerate
endmodule
module pong #(parameter M = 1) (input a, output b);
  ping #(M) q(a, b);
endmodule\n`,
);

describe('a tool that comes to no end on modules within themselves', () => {
  const said =
    'module ping is within itself: it has the instance p of pong (line 2), that has the instance q of ping (line 5), and whether that comes to an end cannot be told from the text';

  test.each(['tool_deadline', 'tool_crashed', 'tool_memory'] as const)(
    '%s of a scan names them',
    async (code) => {
      const engine: ToolEngine = {
        ...plainYosys,
        run: () => Promise.reject(toolchainError(code, { message: 'yosys was ended.' })),
      };
      await expect(scanText(UNKNOWN, 'design.v', {}, engine)).rejects.toMatchObject({
        code,
        message: expect.stringContaining(`The reason may be this: design.v:2: ${said}.`),
        diagnostics: [{ severity: 'warning', file: 'design.v', line: 2, module: 'ping', message: said }],
      });
    },
    60_000,
  );

  test('a build names them', async () => {
    const error = await refusal(hurried.toolchain.build(requestOf(UNKNOWN), record()));
    expect(error.code).toMatch(/^tool_(?:crashed|deadline|memory)$/);
    expect(error.message).toContain(said);
    expect(error.diagnostics).toContainEqual(
      expect.objectContaining({ file: 'design.v', line: 2, message: said }),
    );
  }, 300_000);

  test('a design without any is told as before', async () => {
    const engine: ToolEngine = {
      ...plainYosys,
      run: () => Promise.reject(toolchainError('tool_crashed', { message: 'yosys crashed.' })),
    };
    await expect(scanText(slave(''), 'design.v', {}, engine)).rejects.toMatchObject({
      message: 'yosys crashed.',
    });
  });
});
