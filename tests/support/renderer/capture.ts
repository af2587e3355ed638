import { samplesFrom } from '../../../renderer/src/screens/node/signals/recording/samples.ts';
import type { CaptureView } from '../../../server/contract/signals/signals.ts';

/** A capture of signals with given values, one for each sample. */
export function captureOf(
  signals: Record<string, { width: number; values: (number | bigint)[] }>,
  more: Partial<CaptureView> = {},
) {
  let bits = 0;
  const fields = Object.entries(signals).map(([name, { width }]) => {
    const field = { name, width, offset: bits };
    bits += width;
    return field;
  });
  const samples = Object.values(signals)[0]?.values.length ?? 0;
  const words = Math.ceil(bits / 32);
  const data = new Uint32Array(samples * words);
  for (const { name, width, offset } of fields)
    signals[name]?.values.forEach((value, sample) => {
      for (let bit = 0; bit < width; bit++)
        if ((BigInt(value) >> BigInt(bit)) & 1n) {
          const at = offset + bit;
          data[sample * words + (at >> 5)]! |= 1 << (at & 31);
        }
    });
  const view: CaptureView = {
    ...{ capture_id: '00000000-0000-4000-8000-000000000000', fpga_id: 0, owner: 'ci', build_id: 'b' },
    ...{
      state: 'complete',
      triggered: true,
      started_at: '',
      ended_at: '',
      failure: null,
      signals: fields,
      trigger: { kind: 'now' },
    },
    ...{ depth: samples, position: 0, every: 1, deadline_seconds: 60, pause: false, clock_hz: 12e6 },
    ...{ samples, words, trigger_sample: 0, clock: 1000, lag: 1, ...more },
  };
  return samplesFrom(view, new Uint8Array(data.buffer));
}
