import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { jsonOf } from '../../capture/json.ts';
import type { Samples } from '../../capture/samples.ts';
import { vcdOf } from '../../capture/vcd.ts';
import type { CaptureFormat } from '../../contract/signals/signals.ts';
import { assertNever } from '../../errors/bench-error.ts';
import { sendFile } from '../serving/send-file.ts';

const MEDIA_TYPES: Readonly<Record<CaptureFormat, string>> = {
  json: 'application/json; charset=utf-8',
  vcd: 'text/plain; charset=utf-8',
  bin: 'application/octet-stream',
};

/** Streams samples in a format; pieces of this size let other requests run in between. */
function bodyOf(samples: Samples, format: CaptureFormat, date: string): Readable {
  switch (format) {
    case 'json':
      return Readable.from(inTurns(jsonOf(samples)), { objectMode: false });
    case 'vcd':
      return Readable.from(inTurns(vcdOf(samples, date)), { objectMode: false });
    case 'bin': {
      const { buffer, byteOffset, byteLength } = samples.data;
      return Readable.from([Buffer.from(buffer, byteOffset, byteLength)], { objectMode: false });
    }
    default:
      return assertNever(format);
  }
}

/** Yields to other requests between two pieces. */
async function* inTurns(pieces: Iterable<string>): AsyncGenerator<Buffer> {
  for (const piece of pieces) {
    if (piece !== '') yield Buffer.from(piece);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Sends samples as a file. @param name without its ending @param now milliseconds since 1970 */
export function sendSamples(
  reply: FastifyReply,
  samples: Samples,
  format: CaptureFormat,
  { name, now }: { name: string; now: number },
): FastifyReply {
  const body = bodyOf(samples, format, new Date(now).toISOString());
  return sendFile(reply, { name: `${name}.${format}`, type: MEDIA_TYPES[format] }, body);
}
