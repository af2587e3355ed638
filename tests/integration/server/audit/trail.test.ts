import { appendFileSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type AuditRecord, AuditTrail } from '../../../../server/audit/trail.ts';
import { type FileSystem, nodeFileSystem } from '../../../../server/store/filesystem.ts';
import { FailingFiles } from '../../../support/failing-files.ts';
import { FakeClock } from '../../../support/fake-clock.ts';

const record = (owner: string, more: Partial<AuditRecord> = {}): AuditRecord => ({
  action: 'run',
  owner,
  from: '127.0.0.1',
  operator: false,
  fpga_id: 3,
  job_id: null,
  done: true,
  code: null,
  request_id: 'req-1',
  details: { op: 'write', words: 3 },
  ...more,
});

let folder: string;
let clock: FakeClock;
const damage: string[] = [];
const outcomes: unknown[] = [];

const open = (files: FileSystem = nodeFileSystem, limits = { bytes: 64 << 20, days: 365 }) =>
  AuditTrail.open({
    files,
    folder,
    clock,
    limits: () => limits,
    onOutcome: (error) => outcomes.push(error),
    onDamage: (sentence) => damage.push(sentence),
  });

const trailFiles = () =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.jsonl'))
    .sort()
    .map((name) => path.join(folder, name));

beforeEach(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'wishbench-audit-'));
  clock = new FakeClock();
  damage.length = 0;
  outcomes.length = 0;
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function written(entries: number): Promise<AuditTrail> {
  const trail = await open();
  for (let i = 1; i <= entries; i += 1) trail.add(record(`owner-${i % 3}`));
  await trail.flush();
  return trail;
}

describe('the audit trail', () => {
  test('continues after reopening, numbered without a gap, newest first', async () => {
    await (await written(5)).close();
    const again = await open();
    again.add(record('late', { action: 'reset', details: {} }));
    const page = await again.page({});
    expect(page.entries.map(({ seq }) => seq)).toEqual([6, 5, 4, 3, 2, 1]);
    expect(page.entries[0]).toMatchObject({ owner: 'late', action: 'reset', times: 1 });
    expect(page.more).toBe(false);
    expect(await again.verify()).toMatchObject({ intact: true, problem: null, first: 1, last: 6 });
    expect(damage).toEqual([]);
    await again.close();
  });

  test('finds by owner, action, node, outcome and time, page by page', async () => {
    const trail = await written(9);
    clock.advance(60_000);
    trail.add(record('owner-1', { action: 'submit', fpga_id: 7, done: false, code: 'fpga_not_idle' }));
    const seqs = async (query: Parameters<AuditTrail['page']>[0]) =>
      (await trail.page(query)).entries.map(({ seq }) => seq);
    expect(await seqs({ owner: 'owner-1' })).toEqual([10, 7, 4, 1]);
    expect(await seqs({ owner: 'owner-1', limit: 2 })).toEqual([10, 7]);
    expect((await trail.page({ owner: 'owner-1', limit: 2 })).more).toBe(true);
    expect(await seqs({ owner: 'owner-1', limit: 2, before: 7 })).toEqual([4, 1]);
    expect(await seqs({ action: ['submit', 'reset'] })).toEqual([10]);
    expect(await seqs({ fpga_id: 7 })).toEqual([10]);
    expect(await seqs({ done: false })).toEqual([10]);
    expect(await seqs({ since: new Date(clock.now()).toISOString() })).toEqual([10]);
    expect(await seqs({ until: new Date(clock.now()).toISOString(), limit: 1 })).toEqual([9]);
    await trail.close();
  });

  test('any changed byte is detected', async () => {
    await (await written(8)).close();
    const [file = ''] = trailFiles();
    const whole = readFileSync(file);
    await fc.assert(
      fc.asyncProperty(fc.nat(whole.length - 1), fc.integer({ min: 1, max: 255 }), async (at, by) => {
        const changed = Buffer.from(whole);
        changed[at] = (whole[at] ?? 0) ^ by;
        writeFileSync(file, changed);
        const trail = await open();
        const { intact } = await trail.verify();
        await trail.close();
        return !intact;
      }),
      { numRuns: 200 },
    );
  });

  test('detects truncated, removed and reordered entries', async () => {
    await (await written(8)).close();
    const [file = ''] = trailFiles();
    const whole = readFileSync(file, 'utf8');
    const lines = whole.split('\n').slice(0, -1);
    const without = (i: number) => lines.filter((_, at) => at !== i);
    const swapped = [...lines.slice(0, 3), lines[4] ?? '', lines[3] ?? '', ...lines.slice(5)];
    for (const [what, left] of [
      ['the last entry', without(8)],
      ['all but the first', lines.slice(0, 2)],
      ['one in the middle', without(4)],
      ['the head', without(0)],
      ['an order', swapped],
    ] as const) {
      writeFileSync(file, `${left.join('\n')}\n`);
      const trail = await open();
      expect([what, (await trail.verify()).intact]).toEqual([what, false]);
      await trail.close();
    }
    // A known cut stays known: numbers are not reused.
    rmSync(file);
    const trail = await open();
    trail.add(record('after'));
    expect((await trail.page({})).entries.map(({ seq }) => seq)).toEqual([9]);
    expect(trail.chain.problem).toMatch(/entries 1 to 8 were cut off/);
    await trail.close();
  });

  test('the head is written within a second of an entry, not for each, and may lag after a crash', async () => {
    const named = () => JSON.parse(readFileSync(path.join(folder, 'head.json'), 'utf8')).seq;
    const trail = await written(1);
    expect(named()).toBe(1);
    for (let i = 0; i < 5; i++) {
      trail.add(record('busy'));
      await trail.flush();
    }
    expect(named()).toBe(1);
    // As after a crash.
    const again = await open();
    expect(await again.verify()).toMatchObject({ intact: true, last: 6 });
    await again.close();
    await clock.advance(1000);
    await trail.flush();
    expect(named()).toBe(6);
    trail.add(record('last'));
    await trail.close();
    expect(named()).toBe(7);
  });

  test('a partial write from a crash is no damage', async () => {
    const trail = await written(3);
    const [file = ''] = trailFiles();
    appendFileSync(file, '{"entry":{"seq":4,"ti');
    const again = await open();
    again.add(record('next'));
    expect((await again.page({})).entries.map(({ seq }) => seq)).toEqual([4, 3, 2, 1]);
    expect((await again.verify()).intact).toBe(true);
    await again.close();
    await trail.close();
  });

  test('neither is a partial new file', async () => {
    await (await written(3)).close();
    writeFileSync(path.join(folder, '000000000004.jsonl'), '{"audit":1,"aft');
    const again = await open();
    again.add(record('next'));
    expect(await again.verify()).toMatchObject({ intact: true, last: 4 });
    expect(damage).toEqual([]);
    await again.close();
  });

  test('verifies during concurrent writes, file rotation and pruning', async () => {
    const trail = await open(nodeFileSystem, { bytes: 4 << 20, days: 365 });
    const long = { details: { text: 'x'.repeat(4000) } };
    let writing = true;
    const asked = async () => {
      let times = 0;
      for (; writing; times += 1) {
        const [one, other] = await Promise.all([trail.verify(), trail.verify()]);
        expect([one.problem, other.problem]).toEqual([null, null]);
      }
      return times;
    };
    const askers = [asked(), asked()];
    // Some 8 MiB: four files, two of which stay.
    for (let batch = 0; batch < 60; batch += 1) {
      for (let i = 0; i < 32; i += 1) trail.add(record('busy', long));
      await trail.flush();
      await new Promise((resolve) => setImmediate(resolve));
    }
    writing = false;
    for (const times of await Promise.all(askers)) expect(times).toBeGreaterThan(3);
    expect(await trail.verify()).toMatchObject({ intact: true, last: 1920 });
    expect(trail.chain.first).toBeGreaterThan(500);
    expect(damage).toEqual([]);
    await trail.close();
  });

  test('remains of a failed write are no damage', async () => {
    const disk = new FailingFiles();
    const trail = await open(disk.files);
    trail.add(record('before'));
    await trail.flush();
    for (const step of ['write', 'sync'] as const) {
      disk.failing = step;
      disk.half = true;
      for (let i = 0; i < 4; i += 1) trail.add(record('during'));
      expect(await trail.verify()).toMatchObject({ intact: true, last: 1 });
    }
    disk.failing = null;
    expect(await trail.verify()).toMatchObject({ intact: true, last: 9 });
    await trail.close();
  });

  test('a rewritten file is detected', async () => {
    const trail = await open();
    const long = { details: { text: 'x'.repeat(4000) } };
    for (let file = 0; file < 2; file += 1) {
      for (let i = 0; i < 520; i += 1) trail.add(record('busy', long));
      await trail.flush();
    }
    await trail.close();
    const [oldest = '', newest = ''] = trailFiles();
    expect(newest).not.toBe('');
    // Consistent in itself, with another story.
    const other = path.join(folder, 'other');
    const forged = await AuditTrail.open({
      files: nodeFileSystem,
      folder: other,
      clock,
      limits: () => ({ bytes: 64 << 20, days: 365 }),
      onOutcome() {},
      onDamage() {},
    });
    for (let i = 0; i < 520; i += 1) forged.add(record('nobody', long));
    await forged.close();
    writeFileSync(oldest, readFileSync(path.join(other, path.basename(oldest))));
    const again = await open();
    expect(await again.verify()).toMatchObject({ intact: false });
    await again.close();
  });

  test('a disk that fails at any step loses no entry once it works again', async () => {
    for (const step of ['open', 'write', 'sync', 'rename', 'sync folder'] as const)
      for (const half of [false, true]) {
        rmSync(folder, { recursive: true, force: true });
        const disk = new FailingFiles();
        const trail = await open(disk.files);
        trail.add(record('before'));
        await trail.flush();
        disk.failing = step;
        disk.half = half;
        trail.add(record('during'));
        await trail.flush();
        disk.failing = null;
        trail.add(record('after'));
        await trail.flush();
        expect((await trail.page({})).entries.map(({ owner }) => owner)).toEqual([
          'after',
          'during',
          'before',
        ]);
        expect(await trail.verify()).toMatchObject({ intact: true, last: 3 });
        expect(outcomes.at(-1)).toBe(null);
        await trail.close();
        expect(disk.openHandles).toBe(0);
        const again = await open();
        expect(await again.verify()).toMatchObject({ intact: true, last: 3 });
        await again.close();
      }
  });

  test('is bounded in bytes and in days, and stays whole', async () => {
    const limits = { bytes: 4 << 20, days: 365 };
    const trail = await open(nodeFileSystem, limits);
    const long = { details: { text: 'x'.repeat(4000) } };
    for (let file = 0; file < 5; file += 1) {
      for (let i = 0; i < 520; i += 1) trail.add(record('busy', long));
      await trail.flush();
    }
    expect(trailFiles().length).toBe(2);
    expect(await trail.verify()).toMatchObject({ intact: true, last: 2600 });
    expect(trail.chain.first).toBeGreaterThan(1000);
    limits.days = 1;
    clock.advance(3 * 86_400_000);
    trail.add(record('later'));
    await trail.flush();
    expect(trailFiles().length).toBe(1);
    expect((await trail.page({ limit: 1 })).entries[0]?.owner).toBe('later');
    await trail.close();
  });

  test('damage is reported once, in a sentence', async () => {
    await (await written(4)).close();
    const [file = ''] = trailFiles();
    truncateSync(file, readFileSync(file).lastIndexOf('\n', -2) + 1);
    const trail = await open();
    await trail.verify();
    expect(damage).toEqual(['The audit trail was changed from outside: entries 4 to 4 were cut off.']);
    await trail.close();
  });
});
