import path from 'node:path';
import { expect, test } from 'vitest';
import type { Job } from '../../../../server/contract/jobs/jobs.ts';
import { bytesToWords } from '../../../../server/jobs/execution/words.ts';
import { rebuiltJob } from '../../../../server/jobs/rebuild.ts';
import { JobFiles } from '../../../../server/store/job-files.ts';
import { MemoryDisk } from '../../../support/memory-disk.ts';

const JOB = '00000000-0000-4000-8000-000000000001';

/** The record that is rebuilt from these files of a job. */
async function rebuilt(files: Record<string, string>, unfinished = false) {
  const disk = new MemoryDisk();
  const jobFiles = new JobFiles({ files: disk.files, folder: path.resolve('/'), onFailure: () => {} });
  for (const [name, text] of Object.entries(files))
    await jobFiles.write(3, JOB, name as 'source', Buffer.from(text));
  return await rebuiltJob(jobFiles, 3, JOB, { unfinished });
}

const QUEUE = '[   0.000 queue] echo.v (12 bytes) for Virtual iCE40-HX8K\n';
const stopped = { error: 'service_stopped' };

test.each<[what: string, log: string, job: Partial<Job>]>([
  [
    'a build that completed',
    `${QUEUE}[   1.000 identify] the board runs build ab at 12 MHz\n`,
    { status: 'complete', ok: true },
  ],
  [
    'a build that failed',
    `${QUEUE}[   1.000 synthesis] error: It is wrong.\n[   1.000 synthesis] note: Mend it.\n`,
    { status: 'failed', failure: { error: 'job_data_missing', message: 'It is wrong.', remedy: 'Mend it.' } },
  ],
  [
    'a build that was cancelled',
    '[   0.000 queue] cancelled by bob before it started\n',
    { status: 'cancelled', cancelled_by: 'bob' },
  ],
  ['a build that was interrupted', QUEUE, { status: 'failed', failure: expect.objectContaining(stopped) }],
])('%s is rebuilt from its log', async (_what, log, job) => {
  const found = await rebuilt({ source: 'module a;', 'log.txt': log });
  const filename = log.includes('echo.v') ? 'echo.v' : 'source';
  expect(found?.job).toMatchObject({
    ...{ job_id: JOB, fpga_id: 3, owner: 'unknown', type: 'build_and_program', ...job },
    submit: { filename, size: 9, options: {} },
  });
  expect(found?.bytes).toBe(9 + log.length);
});

const run = (text: string) => `[   0.000 transfer] ${text}\n`;
const FAILED = { status: 'failed', failure: expect.objectContaining(stopped) } as const;

test.each<[what: string, log: string, job: Partial<Job>, words?: number[]]>([
  [
    'a write',
    run('wrote 2 words to 0x0000_0010 (fixed) in 1.0 ms'),
    { ok: true, run: { op: 1, address: 16, count: 2, fixed_address: true } },
  ],
  [
    'a read with all its words',
    run('read 1 word from 0x0000_0010 in 1.0 ms: 0x0000_0007'),
    { ok: true, run: { op: 2, address: 16, count: 1, fixed_address: false } },
    [7],
  ],
  [
    'a read of more words than the log has',
    run('read 9 words from 0x0000_0000 in 1.0 ms: 0x0000_0007 …'),
    { ok: true, run: { op: 2, address: 0, count: 9, fixed_address: false } },
  ],
  [
    'a bus fault',
    run('error: bus fault at byte address 0x8000_0000: no acknowledge'),
    { ok: false, summary: 'bus fault at 0x8000_0000' },
  ],
  ['a run of no words', run('nothing to transfer'), { ok: true, status: 'complete' }],
  ['a run that was interrupted', '', FAILED],
])('%s is rebuilt from its log', async (_what, log, job, words) => {
  const found = await rebuilt({ 'log.txt': log });
  expect(found?.job).toMatchObject({ type: 'run', status: 'complete', ...job });
  const result =
    found?.result === undefined ? undefined : [...bytesToWords(Buffer.from(found.result, 'base64'))];
  expect(result).toEqual(words);
});

test('a reset is rebuilt as complete only if the board ran the base SoC', async () => {
  const begun = '[   0.000 program] flashing the base SoC\n';
  const done = `${begun}[   1.000 identify] the board runs the base SoC\n`;
  expect((await rebuilt({ 'log.txt': done }))?.job).toMatchObject({ type: 'reset', status: 'complete' });
  expect((await rebuilt({ 'log.txt': begun }))?.job).toMatchObject({ type: 'reset', ...FAILED });
});

test('an upload alone is a job only where the store was damaged', async () => {
  expect(await rebuilt({ source: 'module a;' })).toBeNull();
  expect(await rebuilt({})).toBeNull();
  expect((await rebuilt({ source: 'module a;' }, true))?.job).toMatchObject({
    type: 'build_and_program',
    ...FAILED,
  });
});

test('a report that cannot be read names no build', async () => {
  for (const report of ['{', '{"build_id":"../../etc/passwd"}'])
    expect((await rebuilt({ source: 'a', 'report.json': report }))?.job).not.toHaveProperty('build_id');
});
