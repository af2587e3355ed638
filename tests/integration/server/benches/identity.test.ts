import { rmSync } from 'node:fs';
import { expect, test } from 'vitest';
import { openBenchId } from '../../../../server/bench-parts.ts';
import { areBenchNames, type BenchName, BenchNames } from '../../../../server/benches/bench-names.ts';
import type { DiscoveredBench } from '../../../../server/benches/discovery.ts';
import { systemClock } from '../../../../server/clock.ts';
import { createLogger } from '../../../../server/log.ts';
import type { StoredDocument } from '../../../../server/store/document.ts';
import { openStore } from '../../../../server/store/index.ts';
import { type Refusal, TestBench } from '../../../support/api/test-bench.ts';
import { temporaryFolder } from '../../../support/temporary.ts';

const logger = createLogger('silent');

test('two benches with one title keep their names whatever order they appear in after a restart', () => {
  let kept: BenchName[] = [];
  const document: StoredDocument<BenchName[]> = {
    get value() {
      return kept;
    },
    damaged: false,
    async setAside() {},
    async write() {},
    writeSoon(names) {
      kept = names;
    },
  };
  const [b, c] = ['b', 'c'].map((id) => ({
    id: id.repeat(16),
    title: 'Lab',
    port: 8000,
    fingerprint: null,
    address: '127.0.0.1',
  })) as [DiscoveredBench, DiscoveredBench];
  const before = new BenchNames(document);
  expect([before.give(b, new Map()), before.give(c, new Map())]).toEqual(['lab', 'lab-cccccc']);
  expect(areBenchNames(kept)).toBe(true);
  const after = new BenchNames(document);
  expect([after.give(c, new Map()), after.give(b, new Map())]).toEqual(['lab-cccccc', 'lab']);
  // A name in the list of the settings belongs to no found bench.
  expect(after.give(b, new Map([['lab', null]]))).toBe('lab-bbbbbb');
  for (let i = 0; i < 300; i++)
    after.give({ ...b, id: i.toString(16).padStart(16, '0'), title: `t${i}` }, new Map());
  expect(kept).toHaveLength(128);
  expect(areBenchNames(kept)).toBe(true);
});

test('the bench id survives a restart and differs from another computer’s with the same name and folder', async () => {
  const folder = temporaryFolder('id');
  const idOf = async () => {
    const store = await openStore(folder, { logger, clock: systemClock });
    const id = await openBenchId(store);
    await store.close();
    return id;
  };
  const first = await idOf();
  expect(first).toMatch(/^[0-9a-f]{16}$/);
  expect(await idOf()).toBe(first);
  rmSync(folder, { recursive: true });
  expect(await idOf()).not.toBe(first);
});

test('a link-local IPv6 address is refused with an alternative', async () => {
  const bench = await TestBench.start();
  for (const address of ['http://[fe80::1]:8000', 'http://[FE80::1%eth0]:8000', 'https://[febf::1%25en0]']) {
    const { status, body } = await bench.put<Refusal>('/settings', {
      json: { benches: { known: [{ name: 'b', address }] } },
    });
    expect(status, address).toBe(422);
    expect(body.detail.message, address).toMatch(
      /link-local IPv6 address \(fe80…\), which cannot be used here: give its name, .* another IPv6 address\. Correct/,
    );
  }
  await bench.stop();
});
