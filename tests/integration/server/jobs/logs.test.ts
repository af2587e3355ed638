import { readFileSync } from 'node:fs';
import { readdir, readlink, stat } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../../../server/clock.ts';
import type { BenchEvent } from '../../../../server/contract/events/events.ts';
import { EventHub } from '../../../../server/events/events.ts';
import { silentLogger } from '../../../../server/log.ts';
import { JobLogs } from '../../../../server/logs/job-logs.ts';
import { LogCopies } from '../../../../server/logs/log-copies.ts';
import { nodeFileSystem } from '../../../../server/store/filesystem.ts';
import { openStore } from '../../../../server/store/index.ts';
import { FailingFiles } from '../../../support/failing-files.ts';
import { FakeClock } from '../../../support/fake-clock.ts';
import { MemoryDisk } from '../../../support/memory-disk.ts';
import { temporaryFolder } from '../../../support/temporary.ts';
import {
  alice,
  closedGate,
  design,
  ended,
  read,
  reserve,
  type TestPool,
  testPool,
  until,
  write,
} from '../../../support/test-pool.ts';

let bench: TestPool;
beforeEach(async () => {
  bench = await testPool();
});
afterEach(() => bench.dispose());

/**
 * A store whose jobs are in no pool: a pool's start would remove folders of jobs that were never accepted, in the
 * middle of a test on a slow file system.
 */
async function storeAlone() {
  const hub = new EventHub((error) => {
    throw error;
  });
  const events: BenchEvent[] = [];
  hub.subscribe((event) => events.push(event));
  const disk = new FailingFiles();
  const store = await openStore(temporaryFolder('logs'), {
    logger: silentLogger,
    files: disk.files,
    lock: async () => async () => {},
  });
  onTestFinished(() => store.close());
  return { store, hub, events, disk };
}

const text = async (chunks: AsyncIterable<Buffer>) => {
  const all: Buffer[] = [];
  for await (const chunk of chunks) all.push(chunk);
  return Buffer.concat(all).toString();
};

test('every line has its time and its stage', async () => {
  const job = await ended(bench.pool, await bench.pool.submit(0, design('lines-200'), alice));
  const lines = (await bench.pool.readLog(0, job.job_id)).toString().trimEnd().split('\n');
  expect(lines.length).toBeGreaterThan(200);
  for (const line of lines) expect(line).toMatch(/^\[ *\d+\.\d{3} [a-z]+\] /);
  const times = lines.map((line) => Number(line.slice(1, 9)));
  expect(times).toEqual([...times].sort((a, b) => a - b));
});

test('a follower gets the whole log, whenever it connects', async () => {
  const { pool, toolchain } = bench;
  const { gate, open } = closedGate();
  toolchain.gate = gate;
  const submitted = await pool.submit(0, design('lines-5000'), alice);
  const early = text(pool.followLog(0, submitted.job_id));
  await until(() => pool.job(0, submitted.job_id).stage === 'place');
  const late = text(pool.followLog(0, submitted.job_id));
  open();
  const whole = await early;
  expect(pool.job(0, submitted.job_id).status).toBe('complete');
  expect(await late).toBe(whole);
  expect(await text(pool.followLog(0, submitted.job_id))).toBe(whole);
  expect((await pool.readLog(0, submitted.job_id)).toString()).toBe(whole);
  expect(whole.split('\n').filter((line) => line.includes('of 5000'))).toHaveLength(5000);
});

test('a disconnected follower is released at once', async () => {
  const { pool } = bench;
  const job = await pool.submit(0, design('hang-place'), alice);
  const leaving = new AbortController();
  const following = text(pool.followLog(0, job.job_id, leaving.signal));
  await until(() => pool.job(0, job.job_id).stage === 'place');
  leaving.abort();
  expect(await following).not.toContain('route');
});

test('events carry the log piece by piece, with their places in the file', async () => {
  const { pool, events } = bench;
  const job = await ended(pool, await pool.submit(0, design('lines-3000'), alice));
  const whole = await pool.readLog(0, job.job_id);
  let offset = 0;
  for (const event of events) {
    if (event.type !== 'log' || event.job_id !== job.job_id) continue;
    expect(event.offset).toBe(offset);
    expect(whole.subarray(offset, offset + Buffer.byteLength(event.text)).toString()).toBe(event.text);
    offset += Buffer.byteLength(event.text);
  }
  expect(offset).toBe(whole.length);
});

test('a log is bounded, marks omitted lines, and ends with the failure reason', async () => {
  const { pool, store } = bench;
  pool.configure({ logBytes: 64 << 10 });
  const job = await ended(pool, await pool.submit(0, design('lines-20000 fail-place'), alice));
  const { size } = await stat(store.jobFiles.logFile(0, job.job_id).file);
  expect(size).toBeLessThanOrEqual(64 << 10);
  expect(size).toBeGreaterThan(32 << 10);
  const lines = (await pool.readLog(0, job.job_id)).toString().trimEnd().split('\n');
  expect(lines.filter((line) => line.includes('the log has reached its limit'))).toHaveLength(1);
  expect(lines.join('\n')).toContain('error: The place stage failed.');
  expect(lines.at(-1)).toMatch(/^… \d+ lines were left out: the log had reached its limit\.$/);
});

test('control characters and overlong lines of a tool do not reach the log', async () => {
  const { pool, toolchain } = bench;
  const build = toolchain.build.bind(toolchain);
  toolchain.build = (request, context) => {
    context.log('scan', `\u001b[31mred\u001b[0m\u0000 and\ttab\r\nsecond line ${'x'.repeat(10_000)}`);
    return build(request, context);
  };
  const job = await ended(pool, await pool.submit(0, design(), alice));
  const lines = (await pool.readLog(0, job.job_id)).toString().split('\n');
  expect(lines.find((line) => line.includes('red'))).toMatch(/scan\] red and\ttab$/);
  const second = lines.find((line) => line.includes('second line')) ?? '';
  expect(second.length).toBeLessThan(4200);
  expect(second.endsWith('…')).toBe(true);
});

test('a run has a log of its own', async () => {
  const { pool } = bench;
  await reserve(pool);
  const job = await ended(pool, await pool.run(0, read(0x40, 2), alice));
  expect((await pool.readLog(0, job.job_id)).toString()).toMatch(
    /^\[ +\d+\.\d{3} transfer\] read 2 words from 0x0000_0040 in \d+\.\d ms: 0x0000_0000 0x0000_0000\n$/,
  );
});

test.runIf(process.platform === 'linux')(
  'a closed log accepts no lines and leaves no file open',
  async () => {
    const { store, hub } = await storeAlone();
    const clock = new FakeClock();
    const shelf = new JobLogs({ store, clock, events: hub, logger: silentLogger, limit: () => 1 << 20 });
    const jobId = '00000000-0000-4000-8000-000000000000';
    const log = shelf.log(0, jobId);
    log.line('scan', 'in time');
    await log.flush();
    log.line('scan', 'at the last moment');
    const closing = shelf.close(jobId);
    log.line('scan', 'too late');
    // Later lines of the job follow after it.
    const again = await shelf.reopen(0, jobId);
    await closing;
    again.line('program', 'later');
    await shelf.closeAll();
    // Nothing is gathered that would be written later.
    expect(clock.pending).toBe(0);
    const text = (await shelf.read(0, jobId)).toString();
    expect(text.split('\n').map((line) => line.split('] ')[1])).toEqual([
      'in time',
      'at the last moment',
      'later',
      undefined,
    ]);
    const handles = await readdir('/proc/self/fd');
    const files = await Promise.all(
      handles.map((handle) => readlink(`/proc/self/fd/${handle}`).catch(() => '')),
    );
    expect(files).not.toContain(log.file);
  },
);

test('the failure reason is not repeated where a tool has just printed the same words', async () => {
  const { store, hub } = await storeAlone();
  const options = { store, clock: systemClock, events: hub, logger: silentLogger, limit: () => 1 << 20 };
  const logs = new JobLogs(options);
  const said = async (jobId: string, ...tools: string[]) => {
    const log = logs.log(0, jobId);
    for (const line of tools) log.line('scan', line);
    log.lastLine('scan', 'error: a.v:1: it is wrong');
    log.lastLine('scan', 'note: mend it');
    await logs.close(jobId);
    const text = (await logs.read(0, jobId)).toString();
    return text.split('\n').map((line) => line.split('] ')[1]);
  };
  const ends = ['error: a.v:1: it is wrong', 'note: mend it', undefined];
  const id = (digit: number) => `00000000-0000-4000-8000-00000000000${digit}`;
  expect(await said(id(1), 'reading', 'error: a.v:1: it is wrong')).toEqual(['reading', ...ends]);
  // The lines between are read first, and repeated where the log ends.
  expect(await said(id(2), 'error: a.v:1: it is wrong', 'error: a.v:9: this too')).toEqual([
    'error: a.v:1: it is wrong',
    'error: a.v:9: this too',
    ...ends,
  ]);
  expect(await said(id(3))).toEqual(ends);
});

test('a log that the disk refuses is retried, marked, and reflected in health', async () => {
  const { store, hub, disk } = await storeAlone();
  const clock = new FakeClock();
  const logs = new JobLogs({ store, clock, events: hub, logger: silentLogger, limit: () => 1 << 20 });
  const jobId = '00000000-0000-4000-8000-000000000000';
  const log = logs.log(0, jobId);
  log.line('scan', 'before');
  await log.flush();
  disk.only = /log\.txt$/;
  disk.failing = 'write';
  disk.half = true;
  log.line('scan', 'while it was full');
  await log.flush();
  expect(store.healthy).toBe(false);
  expect(await store.check()).toBe(false);
  // Lines beyond the memory limit are counted.
  for (let i = 0; i < 100; i++) {
    log.line('synthesis', 'x'.repeat(4000));
    await log.flush();
  }
  clock.advance(1000);
  await log.flush();
  expect(store.healthy).toBe(false);
  disk.failing = null;
  clock.advance(1000);
  await log.flush();
  expect(store.healthy).toBe(true);
  log.line('place', 'afterwards');
  await logs.closeAll();
  const lines = (await logs.read(0, jobId)).toString().trimEnd().split('\n');
  expect(lines[0]).toContain('before');
  expect(lines[1]).toContain('while it was full');
  expect(lines.at(-2)).toMatch(/… the log could not be written for 2\.0 s; \d+ lines are missing here\.$/);
  expect(lines.at(-1)).toContain('afterwards');
  const missing = Number(/(\d+) lines are missing/.exec(lines.at(-2) ?? '')?.[1]);
  expect(lines.length - 4 + missing).toBe(100);
  expect(store.jobFiles.sizes.of(jobId)).toBe((await logs.read(0, jobId)).length);
});

test('a log is durable when a stage ends and at its end', async () => {
  const disk = new MemoryDisk();
  const small = await testPool({ folder: '/bench', files: disk.files });
  const left = async (jobId: string) => {
    const { files } = disk.afterCut('nothing');
    return String(await files.readFile(path.resolve('/bench/jobs/0', jobId, 'log.txt')).catch(() => ''));
  };
  const build = await small.pool.submit(0, design('hang-place'), alice);
  await until(() => small.pool.job(0, build.job_id).stage === 'place');
  await expect.poll(() => left(build.job_id)).toContain('synthesis] synthesis of echo.v');
  await small.pool.close();
  expect(await left(build.job_id)).toBe((await small.pool.readLog(0, build.job_id)).toString());
  await small.store.close();
});

test('the log of a run survives a power cut that lost its file', async () => {
  const disk = new MemoryDisk();
  const first = await testPool({ folder: '/bench', files: disk.files });
  await reserve(first.pool);
  const run = await ended(first.pool, await first.pool.run(0, write(0, 1), alice));
  const shown = (await first.pool.readLog(0, run.job_id)).toString();
  const after = disk.afterCut('nothing');
  await first.stop();
  const again = await testPool({ folder: '/bench', files: after.files });
  expect((await again.pool.readLog(0, run.job_id)).toString()).toBe(shown);
  const chunks: Buffer[] = [];
  for await (const chunk of again.pool.followLog(0, run.job_id)) chunks.push(chunk);
  expect(Buffer.concat(chunks).toString()).toBe(shown);
  await again.stop();
});

test('a short log stored with its job is readable and followed at once, its file written later', async () => {
  const { store, hub, events } = await storeAlone();
  const clock = new FakeClock();
  const kept = new Map<string, string>();
  const options = { store, clock, events: hub, logger: silentLogger, limit: () => 1 << 20 };
  const logs = new JobLogs({ ...options, kept: (jobId) => kept.get(jobId) });
  const [brief, long] = ['00000000-0000-4000-8000-000000000000', '00000000-0000-4000-8000-000000000001'];
  for (const jobId of [brief, long]) {
    const log = logs.log(0, jobId);
    let ended = false;
    const followed = text(logs.follow(0, jobId, () => ended));
    log.line('transfer', 'wrote 1 word');
    // By then the lines are in the file.
    if (jobId === long) clock.advance(40);
    log.line('transfer', 'read 1 word');
    kept.set(jobId, log.text ?? '');
    ended = true;
    await logs.close(jobId, false);
    const whole = (await logs.read(0, jobId)).toString();
    expect(whole).toMatch(/wrote 1 word\n.*read 1 word\n$/);
    expect(await followed).toBe(whole);
    expect(await text(logs.follow(0, jobId, () => true))).toBe(whole);
    const told = events.flatMap((event) =>
      event.type === 'log' && event.job_id === jobId ? event.text : [],
    );
    expect(told.join('')).toBe(whole);
    expect(store.jobFiles.sizes.of(jobId)).toBe(Buffer.byteLength(whole));
  }
  expect(String(await store.jobFiles.readLog(0, long))).toBe(kept.get(long));
  await expect(stat(path.dirname(store.jobFiles.logFile(0, brief).file))).rejects.toThrow('ENOENT');
  clock.advance(1000);
  await expect.poll(() => store.jobFiles.readLog(0, brief).then(String)).toBe(kept.get(brief));
});

test('copied logs of retained jobs get a file, at shutdown at the latest', async () => {
  const { store, hub } = await storeAlone();
  const clock = new FakeClock();
  const logs = new JobLogs({ store, clock, events: hub, logger: silentLogger, limit: () => 1 << 20 });
  const ids = ['0', '1', '2'].map((digit) => `00000000-0000-4000-8000-00000000000${digit}`);
  for (const jobId of ids) {
    logs.log(0, jobId).line('transfer', jobId);
    await logs.close(jobId, false);
  }
  const [first = '', forgotten = '', last = ''] = ids;
  await logs.forget(forgotten);
  clock.advance(1000);
  await expect.poll(() => store.jobFiles.readLog(0, first).then(String)).toContain(first);
  expect(await store.jobFiles.readLog(0, last)).toBeNull();
  await logs.closeAll();
  expect(String(await store.jobFiles.readLog(0, last))).toContain(last);
  expect(await store.jobFiles.readLog(0, forgotten)).toBeNull();
});

test('shutdown waits for every pending log file, however slow', async () => {
  const clock = new FakeClock();
  const logs = new LogCopies(nodeFileSystem, clock);
  const folder = temporaryFolder('logs');
  const gates: (() => void)[] = [];
  const create = () => new Promise<void>((resolve) => gates.push(resolve));
  const files = ['a', 'b', 'c'].map((name) => path.join(folder, name));
  for (const file of files) logs.add(file, { file, create, sync: async () => {} }, file);
  clock.advance(1000);
  let over = false;
  const closing = logs.close().then(() => {
    over = true;
  });
  gates[0]?.();
  await until(() => gates.length === 2);
  // By now the next write would have happened.
  clock.advance(1000);
  gates[1]?.();
  await until(() => gates.length === 3);
  await new Promise((resolve) => setImmediate(resolve));
  expect(over).toBe(false);
  gates[2]?.();
  await closing;
  expect(files.map((file) => readFileSync(file, 'utf8'))).toEqual(files);
});
