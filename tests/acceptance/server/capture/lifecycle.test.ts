import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { CaptureUsing, CaptureView } from '../../../../server/contract/signals/signals.ts';
import { EventClient } from '../../../support/api/event-client.ts';
import { exampleSource } from '../../../support/capture/support.ts';
import { FlowBench } from '../../../support/flow/flow-bench.ts';

/** The state of a capture whose design goes away, for both recorders. */
const NODE = { fpga_id: 4 };
const { file, source } = exampleSource('timer.v');
const options = { probes: 'count, bus.cyc' };
let bench: FlowBench;

beforeAll(async () => {
  bench = await FlowBench.start([{ filename: file, source, options }, 'echo.v']);
});

afterAll(() => bench?.stop());

beforeEach(async () => {
  if ((await bench.state(4)) === 'reserved') await bench.release(4);
  const job = await bench.submit(4, file, source, options);
  expect(job.status, job.log).toBe('complete');
});

/** A capture whose trigger never comes. */
const begin = (using: CaptureUsing, signal = 'count') =>
  bench.client.startCapture({
    ...NODE,
    body: { using, signals: ['count'], trigger: { kind: 'value', signal, value: 0xffff_ffff } },
  });

const ended = ({ capture_id }: CaptureView) => bench.client.getCapture({ ...NODE, capture_id, wait: 30 });
const GONE = { state: 'ended', samples: 0, failure: { error: 'capture_ended' } };

describe.each(['inside', 'core'] as const)('a capture by the %s', (using) => {
  test('ends with a reset of the node and sends an event; captures are rejected until the reset ends', async () => {
    const events = await EventClient.open(bench.client.options.base ?? '');
    const capture = await begin(using);
    const { job_id } = await bench.client.resetNode(NODE);
    await expect(begin(using)).rejects.toMatchObject({
      code: 'fpga_not_reserved',
    });
    expect(await ended(capture)).toMatchObject(GONE);
    await events.until('capture', (event) => event.state === 'ended');
    events.close();
    await bench.ended(4, job_id);
    await expect(begin(using)).rejects.toMatchObject({ code: 'fpga_not_reserved' });
  });

  test('ends when another design replaces its own', async () => {
    const capture = await begin(using);
    const echo = exampleSource('echo.v');
    const body = { file: { name: echo.file, contents: echo.source } };
    const { job_id } = await bench.client.submitDesign({ ...NODE, replace: true, body });
    expect(await ended(capture)).toMatchObject(GONE);
    expect((await bench.ended(4, job_id)).status).toBe('complete');
    await expect(begin('core')).rejects.toMatchObject({ code: 'no_probes' });
    await expect(begin('inside')).rejects.toMatchObject({ code: 'signal_unknown' });
  });

  test('that starts while the session ends is rejected or ends with it, and none keeps running', async () => {
    const [release, ...begun] = await Promise.allSettled([
      bench.client.releaseSession(NODE),
      begin(using),
      begin(using),
      begin(using),
    ]);
    expect(release.status).toBe('fulfilled');
    for (const one of begun)
      if (one.status === 'fulfilled') expect(await ended(one.value)).toMatchObject({ state: 'ended' });
      else
        expect(one.reason).toMatchObject({
          code: expect.stringMatching(/^(capture_running|capture_ended|fpga_not_reserved)$/),
        });
    await expect.poll(() => bench.state(4)).toBe('idle');
    for (const { state } of await bench.client.listCaptures(NODE)) expect(state).not.toBe('running');
  });
});

test('with a paused clock: a release ends the capture, and the next design starts with a running clock', async () => {
  await bench.client.setBoardClock({ ...NODE, body: { action: 'pause' } });
  const capture = await begin('inside');
  await expect(begin('core')).rejects.toMatchObject({ code: 'capture_running' });
  await bench.release(4);
  expect(await ended(capture)).toMatchObject(GONE);
  const job = await bench.submit(4, file, source, options);
  expect(job.status, job.log).toBe('complete');
  expect(await bench.client.getBoardClock(NODE)).toMatchObject({ paused: false });
  expect((await bench.run(4, { op: 2, address: 0, count: 1 })).ok).toBe(true);
});

test('an expired session ends its capture: waiting for a trigger does not extend it', async () => {
  await bench.release(4);
  await bench.client.changeSettings({ body: { sessions: { ttl_seconds: 10 } } });
  await bench.submit(4, file, source, options);
  // The service polls the core for its trigger meanwhile.
  expect(await ended(await begin('core'))).toMatchObject(GONE);
  await expect.poll(() => bench.state(4)).toBe('idle');
  await bench.client.changeSettings({ body: { sessions: { ttl_seconds: 3600 } } });
});

test('two windows of the holder share one capture: the second start is rejected, either may cancel', async () => {
  const [first, second] = await Promise.allSettled([begin('inside'), begin('inside')]);
  const [won, lost] = first.status === 'fulfilled' ? [first, second] : [second, first];
  expect(lost).toMatchObject({ status: 'rejected', reason: { code: 'capture_running' } });
  if (won.status !== 'fulfilled') return expect.unreachable();
  const cancels = await Promise.allSettled(
    [1, 2].map(() => bench.client.cancelCapture({ ...NODE, capture_id: won.value.capture_id })),
  );
  expect(cancels.map(({ status }) => status)).toContain('fulfilled');
  expect((await begin('core')).state).toBe('running');
});
