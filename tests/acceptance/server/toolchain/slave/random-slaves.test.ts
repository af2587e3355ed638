import { expect, test } from 'vitest';
import { wrapDesign } from '../../../../../server/toolchain/build/wrap/wrap.ts';
import { requireMatch } from '../../../../../server/toolchain/frontends/scan.ts';
import { seeded } from '../../../../support/seeded.ts';
import { SOAK } from '../../../../support/soak.ts';
import { hasIcarus, simulate } from '../../../../support/toolchain/simulate.ts';
import { randomInterconnect } from '../../../../support/toolchain/slave/random-interconnect.ts';
import { type RandomSlave, randomSlave } from '../../../../support/toolchain/slave/random-slave.ts';
import { scanText } from '../../../../support/toolchain/support.ts';

const COUNT = SOAK ? 400 : 12;
const FIRST_SEED = Number(process.env['WISHBENCH_SLAVE_SEED'] ?? 1);

/** What differs between a slave and what the bench makes of it. */
async function differences(seed: number, make: (random: () => number) => RandomSlave): Promise<string[]> {
  const slave = make(seeded(seed));
  const scan = await scanText(slave.text, slave.filename);
  const matched = requireMatch(scan);
  const found = new Map(
    (matched.registers ?? []).flatMap(({ address, words = 1, access }) =>
      Array.from({ length: words }, (_, word) => [address + 4 * word, access] as const),
    ),
  );
  const meant = new Map(slave.registers.map(({ address, access }) => [address, access]));
  const differing = [...new Set([...found.keys(), ...meant.keys()])]
    .filter((address) => found.get(address) !== meant.get(address))
    .map((address) => `0x${address.toString(16)} is ${found.get(address)} for ${meant.get(address)}`);
  if (matched.addressing !== slave.addressing) differing.push(`it counts ${matched.addressing}s`);
  if (hasIcarus) {
    const sources = { [slave.filename]: slave.text, 'wrapper.v': wrapDesign({ ...matched, pins: [] }) };
    const answers = simulate(sources, slave.steps, { gap: 1 });
    const words = answers.flatMap(({ ok, word }, at) =>
      slave.steps[at]?.op === 'read' ? [ok ? word : null] : [],
    );
    for (const [at, word] of words.entries())
      if (word !== slave.words[at]) differing.push(`read ${at} is ${word} for ${slave.words[at]}`);
  }
  return differing.length === 0 ? [] : [`seed ${seed}:\n${slave.text}\n${differing.join('\n')}`];
}

test.each([
  ['slaves', COUNT, (random: () => number) => randomSlave(random)],
  ['slaves of several slaves', COUNT / 2, randomInterconnect],
])('random %s: their registers are found, and answer as they should', async (_, count, make) => {
  const wrong: string[] = [];
  for (let seed = FIRST_SEED; seed < FIRST_SEED + count; seed++)
    wrong.push(...(await differences(seed, make)));
  expect(wrong).toEqual([]);
});
