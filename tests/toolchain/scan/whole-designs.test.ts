import fc from 'fast-check';
import { expect, test } from 'vitest';
import { elaborate } from '../../../server/toolchain/scan/elaborate.ts';
import { designOfSource, type PreparedDesign } from '../../../server/toolchain/scan/prepared-design.ts';
import { prepareProject } from '../../../server/toolchain/scan/project-sources.ts';
import { scanDesignSources } from '../../../server/toolchain/scan/scan.ts';
import { prepareSource } from '../../../server/toolchain/scan/source.ts';
import { record, requestOf } from '../pipeline/support.ts';
import { plainYosys, slowYosys } from '../support.ts';
import { type WholeDesign, wholeDesign } from './whole-designs.ts';

const SOAK = process.env['WISHBENCH_SOAK'] === '1';
const encoder = new TextEncoder();

const prepared = ({ files }: WholeDesign): PreparedDesign => {
  const [only, ...others] = files;
  return only && others.length === 0
    ? designOfSource(prepareSource(encoder.encode(only.text), only.path))
    : prepareProject(
        files.map(({ path, text }) => ({ path, contents: encoder.encode(text) })),
        true,
      );
};

/** Whether Yosys by itself takes the design. */
async function isTaken(design: PreparedDesign): Promise<boolean> {
  const { rtlil } = await elaborate(design, plainYosys, record(), 60);
  return rtlil !== null;
}

test(
  'what Yosys reads and has the port is right, whatever step of the scan looks at it',
  async () => {
    let taken = 0;
    let all = 0;
    await fc.assert(
      fc.asyncProperty(wholeDesign(SOAK ? 30 : 16), async (whole) => {
        const design = prepared(whole);
        expect(design.diagnostics).toEqual([]);
        all++;
        if (!(await isTaken(design))) return;
        taken++;
        for (const toBeBuilt of [false, true]) {
          const { matched, diagnostics } = await scanDesignSources(
            design,
            requestOf(''),
            slowYosys,
            record(),
            { toBeBuilt },
          );
          expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
          expect(matched?.module).toBe('design');
        }
      }),
      { numRuns: SOAK ? 400 : 10 },
    );
    // The generator is to make what is right.
    expect(taken / all).toBeGreaterThan(0.9);
  },
  SOAK ? 24 * 3_600_000 : 120_000,
);
