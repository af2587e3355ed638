import { afterEach, describe, expect, test } from 'vitest';
import { reportData } from '../../../../server/board-check/report.ts';
import { BoardCheck } from '../../../../server/contract/boards/board-checks.ts';
import { checkOf, parseAs } from '../../../../server/contract/check.ts';
import type { Job } from '../../../../server/contract/jobs/jobs.ts';
import { checkBench, closeBenches, failedStep, states } from '../../../support/board-check/check-bench.ts';
import { plugAgain } from '../../../support/boards/lab.ts';
import { proves } from '../../../support/proves.ts';
import { closedGate } from '../../../support/test-pool.ts';

afterEach(closeBenches);

const fpga_id = 2;
/** A refusal of the service: its status and its code. */
const refused = (status: number, code: string) => expect.objectContaining({ status, code });

describe('a healthy board', () => {
  test('every step passes, in the name of the caller and with jobs like any others; the node is idle after it', async () => {
    const { client, check, bench, computer } = await checkBench();
    const passed = await check();
    expect(states(passed)).toEqual({
      seen: 'passed',
      built: 'passed',
      opened: 'passed',
      programmed: 'passed',
      cdone: 'passed',
      identity: 'passed',
      memory: 'passed',
      write: 'passed',
      read: 'passed',
      'line_rate 1000000': 'passed',
      ...Object.fromEntries(
        passed.steps.flatMap(({ baud }) => (baud === undefined ? [] : [[`line_rate ${baud}`, 'passed']])),
      ),
      released: 'passed',
    });
    expect(passed).toMatchObject({ state: 'passed', cancelling: false, part: 'hx8k-ct256' });
    expect(passed.ended_at! >= passed.started_at).toBe(true);
    expect(passed.identity?.clock_hz).toBe(12_000_000);
    const write = passed.steps.find(({ step }) => step === 'write')!;
    expect(write.figures).toMatchObject({ words: 10_000, wrong: 0 });
    expect(write.milliseconds).toBeGreaterThan(0);
    const rate = passed.steps.find(({ baud }) => baud === 1_000_000)!;
    expect(rate.figures).toMatchObject({ words: 10_000, errors: 0 });
    expect(bench.pool.node(fpga_id)).toMatchObject({ state: 'idle', session: null });
    const jobs = await client().listNodeJobs({ fpga_id, limit: 100 });
    expect(new Set(jobs.map(({ owner }) => owner))).toEqual(new Set(['alice']));
    expect(jobs.every(({ status }) => status === 'complete')).toBe(true);
    expect(jobs.map(({ type }) => type)).toEqual(['reset', ...Array(7).fill('run'), 'build_and_program']);
    expect(computer.openHandles).toBe(0);
    proves('ice40-hx8k-breakout', 'link', 'emulated');
  });

  test('the report names board, system, versions, steps and log, is machine-readable and has no secret', async () => {
    const { check, client } = await checkBench();
    const { drivers, ...passed } = await check();
    const text = new TextDecoder().decode(await client().getBoardCheckReport({ fpga_id }));
    expect(text).toMatch(/^# Board check: iCE40-HX8K Breakout Board, passed\n/);
    for (const part of [
      'usb:LAT001',
      'hx8k-ct256',
      process.version.slice(1),
      '| ✓ | CDONE |',
      'CDONE is high',
    ])
      expect(text).toContain(part);
    expect(drivers).toContainEqual({ name: 'Serial port', value: '/dev/ttyUSB1' });
    const data = parseAs(reportData(text) ?? '', checkOf(BoardCheck));
    expect(data).toEqual({ ...passed, drivers, log: [] });
    // Readers of the issue must not see who ran the check.
    expect(text).not.toContain('alice');
  });
});

describe('a faulty board: the failing step has the code and the remedy, later steps are skipped', () => {
  test('missing permission; once granted, the check restores the node itself', async () => {
    const { check, computer, bench } = await checkBench({ permitted: false });
    const failed = await check();
    expect(failed.state).toBe('failed');
    expect(failedStep(failed)).toEqual({ step: 'opened', error: 'usb_permission_denied' });
    expect(states(failed)).toMatchObject({
      seen: 'passed',
      built: 'passed',
      programmed: 'skipped',
      write: 'skipped',
    });
    expect(failed.steps.find(({ step }) => step === 'opened')?.failure?.remedy).toMatch(/udev/);
    expect(bench.pool.node(fpga_id).state).toBe('error');
    computer.device('1-2').permitted = true;
    for (const port of computer.serial.ports.values()) port.permitted = true;
    const passed = await check();
    expect(passed.steps[0]).toMatchObject({ step: 'reset', state: 'passed' });
    expect(passed.state).toBe('passed');
  });

  test('CDONE stays low', async () => {
    const { check, board } = await checkBench();
    board.cdoneStuck = false;
    const failed = await check();
    expect(failedStep(failed)).toEqual({ step: 'cdone', error: 'cdone_low' });
    expect(states(failed)).toMatchObject({ opened: 'passed', programmed: 'passed', identity: 'skipped' });
    // Such a board cannot bring the node back, and the report says that, too.
    expect(failed.steps.at(-1)).toMatchObject({ step: 'released', state: 'failed' });
    board.cdoneStuck = null;
    expect((await check()).state).toBe('passed');
  });

  test('the UART is silent', async () => {
    const { check, fabric } = await checkBench();
    fabric.mute = true;
    const failed = await check();
    expect(failedStep(failed)).toEqual({ step: 'identity', error: 'link_silent' });
    expect(states(failed)).toMatchObject({ cdone: 'passed', memory: 'skipped' });
  });

  test('the design finds a word wrong that the line carried unharmed', async () => {
    const { check, design, bench } = await checkBench();
    design.damage = (word, index) => (index === 7_000 ? word ^ 1 : word);
    const failed = await check();
    expect(failedStep(failed)).toEqual({ step: 'write', error: 'check_words_wrong' });
    expect(failed.steps.find(({ step }) => step === 'write')?.happened).toMatch(/^1 of 10,000 words/);
    expect(states(failed)).toMatchObject({ released: 'passed' });
    expect(bench.pool.node(fpga_id).state).toBe('idle');
  });

  test('its plug is pulled during the check: the check fails without hanging, and passes after replugging', async () => {
    const { check, chip, computer, bench } = await checkBench();
    const unsubscribe = bench.events.subscribe((event) => {
      if (event.type === 'job' && event.job.type === 'run')
        chip.fault ??= { kind: 'unplug', afterBytes: 30_000 };
    });
    const failed = await check();
    unsubscribe();
    expect(failedStep(failed)).toMatchObject({ error: 'board_vanished' });
    expect(failed.state).toBe('failed');
    expect(bench.pool.node(fpga_id).state).toBe('error');
    computer.plug('1-5', plugAgain(chip));
    await expect.poll(() => bench.pool.node(fpga_id).board.present).toBe(true);
    expect((await check()).state).toBe('passed');
    proves('ice40-hx8k-breakout', 'hotplug', 'emulated');
  });

  test('it is not plugged in: nothing is built', async () => {
    const { check, client } = await checkBench({ plugged: false });
    const failed = await check();
    expect(failedStep(failed)).toEqual({ step: 'seen', error: 'board_absent' });
    expect(await client().listNodeJobs({ fpga_id })).toEqual([]);
  });
});

describe('a node is one person’s at a time', () => {
  test('a check of a node in use is refused without affecting its session', async () => {
    const { client, bench } = await checkBench();
    const bob = client('bob');
    const file = { name: 'echo.v', contents: 'module echo; endmodule' };
    await bob.jobEnded(await bob.submitDesign({ fpga_id, body: { file } }));
    const { session } = bench.pool.node(fpga_id);
    await expect(client().startBoardCheck({ fpga_id })).rejects.toEqual(refused(409, 'fpga_not_idle'));
    expect(bench.pool.node(fpga_id).session).toEqual(session);
    expect(await client().getBoardCheck({ fpga_id })).toBeUndefined();
    await expect(client().getBoardCheckReport({ fpga_id })).rejects.toEqual(refused(404, 'no_board_check'));
    await expect(client().cancelBoardCheck({ fpga_id })).rejects.toEqual(refused(404, 'no_board_check'));
  });

  test('of simultaneous starts one wins', async () => {
    const { client, ended } = await checkBench();
    const starts = await Promise.allSettled([1, 2, 3].map(() => client().startBoardCheck({ fpga_id })));
    expect(starts.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const start of starts)
      if (start.status === 'rejected') expect(start.reason).toEqual(refused(409, 'check_running'));
    expect((await ended()).state).toBe('passed');
  });

  test('a reset by another user ends the check and leaves the node idle', async () => {
    const { client, bench, check } = await checkBench();
    let reset: Promise<{ job_id: string }> | undefined;
    const unsubscribe = bench.events.subscribe((event) => {
      if (event.type === 'job' && event.job.type === 'run') reset ??= client('bob').resetNode({ fpga_id });
    });
    const failed = await check();
    unsubscribe();
    expect(failedStep(failed)?.error).toBe('check_displaced');
    await reset;
    expect(bench.pool.node(fpga_id).state).toBe('idle');
  });

  test('cancelled during the build: the build ends first, then the node is idle', async () => {
    const { client, ended, bench, toolchain } = await checkBench();
    const { gate, open } = closedGate();
    toolchain.gate = gate;
    await client().startBoardCheck({ fpga_id });
    await expect.poll(() => bench.pool.node(fpga_id).state).toBe('building');
    expect(await client().cancelBoardCheck({ fpga_id })).toMatchObject({
      state: 'running',
      cancelling: true,
    });
    open();
    const cancelled = await ended();
    expect(cancelled).toMatchObject({ state: 'cancelled', cancelling: false });
    expect(failedStep(cancelled)).toBeNull();
    expect(states(cancelled)).toMatchObject({ memory: 'skipped', write: 'skipped', released: 'passed' });
    expect(bench.pool.node(fpga_id).state).toBe('idle');
    // An ended check does not change.
    expect(await client().cancelBoardCheck({ fpga_id })).toEqual(cancelled);
  });
});

describe('shutdown', () => {
  test('during a check: the report after the restart says so, and the node is released', async () => {
    const first = await checkBench();
    const { bench, client, folder } = first;
    const runs: Job[] = [];
    const reached = new Promise<void>((resolve) => {
      bench.events.subscribe((event) => {
        if (event.type === 'job' && event.job.type === 'run' && runs.push(event.job) === 1) resolve();
      });
    });
    await client().startBoardCheck({ fpga_id });
    await reached;
    await bench.close();
    const again = await checkBench({ folder });
    const failed = await again.client().getBoardCheck({ fpga_id });
    expect(failed?.state).toBe('failed');
    expect(failed && failedStep(failed)?.error).toBe('service_stopped');
    await expect.poll(() => again.bench.pool.node(fpga_id).state).toBe('idle');
    expect((await again.check()).state).toBe('passed');
  });

  test('the last check survives a restart', async () => {
    const { check, bench, folder } = await checkBench();
    const passed = await check();
    await bench.close();
    const again = await checkBench({ folder });
    expect(await again.client().getBoardCheck({ fpga_id })).toEqual(passed);
  });
});
