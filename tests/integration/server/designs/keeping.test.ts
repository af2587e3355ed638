import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import type { DesignDetails, StoredVersion } from '../../../../server/contract/designs/designs.ts';
import type { ScriptReport } from '../../../../server/contract/jobs/scripts.ts';
import { designBeyond, sourceBeyond } from '../../../../server/designs/bounds.ts';
import { type DesignEntry, versionsOf } from '../../../../server/designs/record.ts';
import { designIdOf } from '../../../../server/jobs/design-id.ts';
import { backUp, finishRestore, prepareRestore } from '../../../../server/store/backup.ts';
import { type Refusal, SOURCE, TestBench } from '../../../support/api/test-bench.ts';

const ci = { 'x-api-key': 'ci' };
const ID = designIdOf('ci', 'design.v');
const SCRIPT = { steps: [{ op: 'read', address: 0, expect: [0] }] };

const folders: string[] = [];
const newFolder = () => {
  folders.push(mkdtempSync(path.join(os.tmpdir(), 'wishbench-designs-')));
  return folders.at(-1) ?? '';
};
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

test('after a restart, a damaged script, lost records and a backup, a design has all that remains', async () => {
  const dataDir = newFolder();
  const first = await TestBench.start({ dataDir });
  const job = await first.reserve(0, ci);
  await first.put(`/designs/${ID}/script`, { json: SCRIPT });
  const before = (await first.get<DesignDetails>(`/designs/${ID}`)).body;
  expect(before).toMatchObject({ documents: ['script'], versions: [{ job_id: job.job_id }] });
  await first.bench.close();

  const second = await TestBench.start({ dataDir });
  expect((await second.get<DesignDetails>(`/designs/${ID}`)).body).toEqual(before);
  expect((await second.get(`/designs/${ID}/script`)).body).toEqual(SCRIPT);
  const backup = path.join(newFolder(), 'backup.tar.gz');
  await backUp(dataDir, backup, new Date());
  await second.bench.close();

  const elsewhere = newFolder();
  await prepareRestore(elsewhere, backup, new Date());
  await finishRestore(elsewhere);
  const restored = await TestBench.start({ dataDir: elsewhere });
  expect((await restored.get<DesignDetails>(`/designs/${ID}`)).body).toEqual(before);
  expect((await restored.get(`/designs/${ID}/versions/${job.job_id}/source`)).body).toBe(SOURCE);
  await restored.bench.close();

  writeFileSync(path.join(dataDir, 'designs', ID, 'script.json'), '{"steps":[{"op":"erase"}]}');
  const third = await TestBench.start({ dataDir });
  const again = await third.reserve(1, ci);
  expect([again.status, again.script]).toEqual(['complete', undefined]);
  expect((await third.get(`/designs/${ID}/script`)).status).toBe(204);
  expect(readdirSync(path.join(dataDir, 'designs', ID)).some((name) => name.includes('damaged'))).toBe(true);
  await third.bench.close();

  // Jobs have their designs' ids.
  rmSync(path.join(dataDir, 'designs'), { recursive: true });
  const fourth = await TestBench.start({ dataDir });
  const { versions, documents } = (await fourth.get<DesignDetails>(`/designs/${ID}`)).body;
  expect(documents).toEqual([]);
  expect(versions.map(({ job_id }) => job_id)).toEqual([again.job_id, job.job_id]);
  await fourth.stop();
});

test('a failed build is a version, but no base of comparison', async () => {
  const bench = await TestBench.start();
  const good = await bench.reserve(0, ci);
  const { body } = await bench.submit(1, `${SOURCE}// fail-synthesis`, {}, ci);
  const bad = await bench.ended(1, body.job_id);
  expect(bad.status).toBe('failed');
  const next = await bench.reserve(2, ci);
  const { versions } = (await bench.get<DesignDetails>(`/designs/${ID}`)).body;
  expect(versions.map(({ job_id, ok, error, before }) => [job_id, ok, error, before?.job_id])).toEqual([
    [next.job_id, true, null, good.job_id],
    [bad.job_id, false, bad.failure?.error, good.job_id],
    [good.job_id, true, null, undefined],
  ]);
  const source = await bench.get<string>(`/designs/${ID}/versions/${bad.job_id}/source`);
  expect(source.body).toBe(`${SOURCE}// fail-synthesis`);
  await bench.stop();
});

test('a script ends with its session, and reports the skipped steps', async () => {
  const bench = await TestBench.start();
  await bench.reserve(0, ci);
  const slow = {
    steps: [
      { op: 'wait', address: 0, value: 1, timeout_ms: 60_000 },
      { op: 'read', address: 0 },
    ],
  };
  const running = bench.post<ScriptReport>('/fpga/0/script', { json: { script: slow } });
  await expect
    .poll(async () => (await bench.client().listTransactions({ fpga_id: 0 })).transactions.length)
    .toBeGreaterThan(2);
  await bench.post('/fpga/0/reset');
  const { status, body } = await running;
  expect(status).toBe(200);
  expect(body).toMatchObject({ passed: 0, failed: 0, skipped: 2 });
  // The one where the link is refused first, the other where the announcement comes first.
  expect(['session_ended', 'fpga_not_reserved']).toContain(body.stopped?.code);
  const late = await bench.post<Refusal>('/fpga/0/script', { json: { script: slow } });
  expect([late.status, late.body.detail.error]).toEqual([409, 'fpga_not_reserved']);
  await bench.stop();
});

test('an invalid or oversized script is refused with the location of the error', async () => {
  const bench = await TestBench.start();
  await bench.reserve(0, ci);
  const put = async (json: unknown) => {
    const { status, body } = await bench.put<Refusal>(`/designs/${ID}/script`, { json });
    return [status, body.detail?.errors?.[0]?.loc.join('.')];
  };
  expect(await put({ steps: [{ op: 'write', address: 0xf000_0000, data: [1] }] })).toEqual([
    422,
    'body.steps.0.address',
  ]);
  expect(await put({ steps: [{ op: 'read', address: 0, expects: [1] }] })).toEqual([
    422,
    'body.steps.0.expects',
  ]);
  expect(await put({ steps: Array(1001).fill({ op: 'delay', ms: 1 }) })).toEqual([422, 'body.steps']);
  expect((await put({ steps: [], says: 'x'.repeat(2 << 20) }))[0]).toBe(413);
  const none = await bench.put<Refusal>('/designs/none-00000000/script', { json: SCRIPT });
  expect([none.status, none.body.detail.error]).toEqual([404, 'design_not_found']);
  expect((await bench.get('/designs/..%2f..%2fetc')).status).toBe(422);
  await bench.stop();
});

const version = (at: number, change: Partial<StoredVersion> = {}): StoredVersion => ({
  job_id: `job ${at}`,
  fpga_id: 0,
  at: new Date(at).toISOString(),
  build_id: null,
  ok: true,
  error: null,
  cached: false,
  fmax: at,
  luts: at,
  seconds: 1,
  filename: 'a.v',
  bytes: 10,
  source_sha256: `digest ${at}`,
  script: null,
  ...change,
});
const design = (
  owner: string,
  at: number,
  versions: StoredVersion[] = [version(at)],
  script = false,
): DesignEntry => ({
  id: `${owner}-${at}`,
  record: { owner, name: `${at}.v`, updated_at: new Date(at).toISOString(), versions },
  documents: new Set(script ? ['script'] : []),
});

test('above the limits the owner with the most loses the oldest, designs with scripts last', () => {
  const designs = [design('a', 1, [], true), design('a', 2), design('a', 3), design('b', 0)];
  expect(designBeyond(designs, 4, 3)).toBeNull();
  expect(designBeyond(designs, 3, 3)?.id).toBe('a-2');
  expect(designBeyond(designs, 100, 2)?.id).toBe('a-2');
  expect(designBeyond(designs.slice(0, 1), 0, 0)?.id).toBe('a-1');

  expect(sourceBeyond(designs, 40)).toBeNull();
  expect(sourceBeyond(designs, 25)).toMatchObject({ design: { id: 'a-2' }, digest: 'digest 2' });
  // Equal sources are stored once.
  const same = design('a', 9, [version(9), version(8, { source_sha256: 'digest 9' })]);
  expect(sourceBeyond([same], 10)).toBeNull();
});

test('each version is compared with the last successful one before it', () => {
  const versions = [version(4), version(3, { ok: false }), version(2), version(1, { ok: false })];
  const { record } = design('a', 4, versions);
  expect(versionsOf(record).map(({ before }) => before?.job_id)).toEqual([
    'job 2',
    'job 2',
    undefined,
    undefined,
  ]);
});
