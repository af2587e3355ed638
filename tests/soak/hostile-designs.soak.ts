import { afterAll, describe, expect, test } from 'vitest';
import type { FoundSandbox } from '../../server/toolchain/engines/sandbox/bubblewrap.ts';
import type { ToolchainOptions } from '../../server/toolchain/index.ts';
import { type Ending, HostileLab } from '../support/toolchain/hostile/lab.ts';
import { verilogDesigns } from '../support/toolchain/hostile/verilog-designs.ts';
import { vhdlDesigns } from '../support/toolchain/hostile/vhdl-designs.ts';

/**
 * Every hostile design, built whole, with and without a sandbox. Oversized designs run into limits and deadlines, so
 * this takes hours; it ends by itself and prints how the designs ended.
 */
const NO_SANDBOX = async (): Promise<FoundSandbox> => ({
  kind: 'missing',
  reason: 'the test has taken it away',
});
/** Seconds: what an ordinary design takes on a busy computer, and more. */
const DEADLINE = 60;
const LIMITS: Partial<ToolchainOptions> = {
  stageDeadline: DEADLINE,
  memoryLimit: 2 ** 30,
};

const HOSTS: Record<string, Partial<ToolchainOptions>> = {
  'a sandbox': {},
  'no sandbox': { sandbox: NO_SANDBOX, vhdlWithoutSandbox: () => true },
};

/** How the designs ended, most frequent first. */
function summary(endings: readonly Ending[]): string {
  const counts = new Map<string, number>();
  for (const { code } of endings) counts.set(code, (counts.get(code) ?? 0) + 1);
  const longest = endings.reduce((a, b) => (b.seconds > a.seconds ? b : a));
  const codes = [...counts].sort(([, a], [, b]) => b - a).map(([code, count]) => `${code} ${count}`);
  return `${endings.length} designs: ${codes.join(', ')}; longest ${longest.seconds.toFixed(1)} s (${longest.design.name})`;
}

describe.each(Object.entries(HOSTS))('hostile designs with %s', (host, options) => {
  const lab = new HostileLab({ ...LIMITS, ...options }, 'build');
  afterAll(() => lab.dispose());

  test(
    'reads, writes and reveals nothing on the host, and the next design builds',
    async () => {
      const harms: string[] = [];
      const endings: Ending[] = [];
      for (const design of [...verilogDesigns(lab.bait), ...vhdlDesigns(lab.bait)]) {
        const { ending, harm } = await lab.attempt(design);
        endings.push(ending);
        if (harm !== null) harms.push(`${design.category}, ${design.name}: ${harm}`);
      }
      process.stdout.write(`${host}: ${summary(endings)}\n`);
      expect(harms).toEqual([]);
      expect(await lab.stillBuilds()).toBe(true);
    },
    6 * 3600_000,
  );
});
