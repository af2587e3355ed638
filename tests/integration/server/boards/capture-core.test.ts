import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Client } from '../../../../server/contract/client/client.ts';
import type { CaptureRequest, CaptureView } from '../../../../server/contract/signals/signals.ts';
import { resourcePath } from '../../../../server/paths.ts';
import { EmulatedBench } from '../../../support/boards/emulated-bench.ts';

/** A real board for the service: only the capture core of its bitstream shows its inside. */
const NODE = { fpga_id: 2 };
const source = readFileSync(resourcePath('examples', 'timer.v'), 'utf8').replace(
  'reg [31:0] count = 0, reload = 0,',
  '(* mark_debug = "true" *) reg [31:0] count = 0;\n  reg [31:0] reload = 0,',
);
const design = {
  filename: 'timer.v',
  source,
  options: { probes: 'bus.cyc, bus.we, bus.adr[1:0], uptime[11:0]' },
};
let bench: EmulatedBench;
let client: Client;

beforeAll(async () => {
  bench = await EmulatedBench.start({ built: [design] });
  client = bench.client;
  await bench.submit(design);
});

afterAll(() => bench?.close());

const start = (body: CaptureRequest) => client.startCapture({ ...NODE, body });

async function ended({ capture_id }: CaptureView): Promise<CaptureView> {
  for (;;) {
    const capture = await client.getCapture({ ...NODE, capture_id });
    if (capture.state !== 'running') return capture;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

test('a real board records probed signals by name and mark around an access', async () => {
  const capture = await start({
    signals: ['count', 'bus.cyc', 'uptime[11:0]'],
    trigger: { kind: 'access', address: 0, direction: 'write' },
    depth: 200,
    position: 50,
  });
  expect(capture).toMatchObject({ using: 'core', state: 'running', clock_hz: 12_000_000 });
  await bench.write(4, [3]);
  await bench.write(0, [77]);
  const done = await ended(capture);
  expect(done).toMatchObject({ state: 'complete', samples: 200, trigger_sample: 50, clock: null, lag: 1 });
  const bytes = await client.exportCapture({ ...NODE, capture_id: done.capture_id, format: 'json' });
  const { signals } = JSON.parse(new TextDecoder().decode(bytes)) as {
    signals: { name: string; changes: [number, number][] }[];
  };
  const [count, cycle, uptime] = signals.map(({ changes }) => changes);
  // It counts down from the clock after the write, every clock.
  const [, [written = 0, value] = []] = count ?? [];
  expect([written - 50 < 4, value]).toEqual([true, 77]);
  expect(count?.slice(1, 50).map(([at, now]) => [at - written, now])).toEqual(
    Array.from({ length: 49 }, (_, k) => [k, 77 - k]),
  );
  expect(cycle?.slice(0, 2)).toEqual([
    [0, 0],
    [50, 1],
  ]);
  expect(uptime).toHaveLength(200);
  const vcd = await client.exportCapture({ ...NODE, capture_id: done.capture_id, format: 'vcd' });
  expect(new TextDecoder().decode(vcd)).toMatch(/\$var wire 32 \S+ count \$end/);
});

test('the signal list states the recorder, its capacity and the probed bits of each signal', async () => {
  const list = await client.listSignals(NODE);
  expect(list).toMatchObject({ recorded_by: 'core', core: { bits: 48, depth: 512 } });
  const probed = new Map(list.signals.map((one) => [one.name, one.probed]));
  expect(['count', 'uptime', 'bus.adr', 'reload'].map((name) => probed.get(name))).toEqual([
    32,
    12,
    2,
    undefined,
  ]);
});

test('values and the clock need a virtual board, and a signal without a probe is refused', async () => {
  await expect(client.readSignals({ ...NODE, names: ['count'] })).rejects.toMatchObject({
    code: 'inside_unsupported',
  });
  await expect(client.getBoardClock(NODE)).rejects.toMatchObject({ code: 'inside_unsupported' });
  await expect(start({ using: 'inside', signals: ['count'] })).rejects.toMatchObject({
    code: 'inside_unsupported',
  });
  const lost = start({ signals: ['reload'] });
  await expect(lost).rejects.toMatchObject({ code: 'signal_not_probed' });
  await expect(lost).rejects.toThrow(/count/);
});

test('a capture ends when the plug is pulled', async () => {
  const capture = await start({
    signals: ['count'],
    trigger: { kind: 'value', signal: 'count', value: 0xffff_ffff },
  });
  bench.unplug();
  const done = await ended(capture);
  expect(done.state).toBe('ended');
  expect(done.failure?.remedy).toMatch(/\w/);
});
