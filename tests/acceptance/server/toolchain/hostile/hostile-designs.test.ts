import { readFileSync, writeFileSync } from 'node:fs';
import { afterAll, describe, expect, test } from 'vitest';
import { systemClock } from '../../../../../server/clock.ts';
import { findGhdl } from '../../../../../server/toolchain/frontends/vhdl/ghdl.ts';
import { everyNth } from '../../../../support/soak.ts';
import type { HostileDesign } from '../../../../support/toolchain/hostile/design.ts';
import { HostileLab } from '../../../../support/toolchain/hostile/lab.ts';
import { verilogDesigns } from '../../../../support/toolchain/hostile/verilog-designs.ts';
import { vhdlDesigns } from '../../../../support/toolchain/hostile/vhdl-designs.ts';

/**
 * The bounded part of tests/soak/hostile-designs.soak.ts: one in twelve of the quick ones, scans only, without a
 * sandbox. There only the check of the source keeps GHDL from the host's files.
 */
const ghdl = await findGhdl(systemClock);
if (!ghdl) process.stderr.write('GHDL is not installed: hostile designs in VHDL are not translated\n');

const lab = new HostileLab(
  {
    sandbox: async () => ({ kind: 'missing', reason: 'the test has taken it away' }),
    vhdlWithoutSandbox: () => true,
  },
  'scan',
);
afterAll(() => lab.dispose());

function byCategory(designs: readonly HostileDesign[]): { category: string; designs: HostileDesign[] }[] {
  const quick = designs.filter(({ pace }) => pace === 'quick');
  return [...new Set(quick.map(({ category }) => category))].map((category) => ({
    category,
    designs: everyNth(
      12,
      quick.filter((design) => design.category === category),
    ),
  }));
}

async function attemptAll(designs: readonly HostileDesign[]): Promise<string[]> {
  const harms: string[] = [];
  for (const design of designs) {
    const { harm } = await lab.attempt(design);
    if (harm !== null) harms.push(`${design.name}: ${harm}`);
  }
  return harms;
}

test('the lab detects writes and leaked secrets', async () => {
  expect(verilogDesigns(lab.bait).length + vhdlDesigns(lab.bait).length).toBeGreaterThan(350);
  const harmless: HostileDesign = {
    category: '',
    name: '',
    filename: 'm.v',
    source: 'module m; endmodule',
    pace: 'quick',
  };
  expect((await lab.attempt(harmless)).harm).toBeNull();
  writeFileSync(lab.bait.write, 'x');
  expect((await lab.attempt(harmless)).harm).toBe('files were made: made');
  const secret = readFileSync(lab.bait.read, 'utf8').split('\n')[0] ?? '';
  const { harm } = await lab.attempt({
    ...harmless,
    source: `module m; initial $display("${secret}"); error`,
  });
  expect(harm).toContain(lab.seesReadings ? 'the secret was read' : '');
  expect((await lab.attempt(harmless)).harm).toBeNull();
});

describe.each(byCategory(verilogDesigns(lab.bait)))('$category', ({ designs }) => {
  test('reads, writes and reveals nothing on the host', async () => {
    expect(await attemptAll(designs)).toEqual([]);
  });
});

describe.skipIf(!ghdl).each(byCategory(vhdlDesigns(lab.bait)))('$category', ({ designs }) => {
  test('reads, writes and reveals nothing on the host', async () => {
    expect(await attemptAll(designs)).toEqual([]);
  });
});

test('afterwards an ordinary design still scans', async () => {
  expect(await lab.stillMatches()).toBe('gpio');
});
