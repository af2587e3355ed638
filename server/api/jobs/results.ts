import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import type { Job } from '../../contract/jobs/jobs.ts';
import type { RunResult } from '../../contract/jobs/runs.ts';
import type { ApiContext } from '../context.ts';
import type { Caller } from '../edge/caller.ts';
import { PIECE } from '../edge/outgoing.ts';

/** Words of a result whose text is made at once: less than a piece. */
const WORDS_AT_ONCE = 1024;

/**
 * The JSON of a RunResult, generated as it is read: a slow reader must not hold the text of a million words in memory.
 */
function* resultText(ok: boolean, data: Uint32Array): Generator<string> {
  yield `{"ok":${ok},"data":[`;
  for (let at = 0; at < data.length; at += WORDS_AT_ONCE)
    yield `${at === 0 ? '' : ','}${data.subarray(at, at + WORDS_AT_ONCE).join(',')}`;
  yield ']}';
}

/** The value of a named field, shifted to bit 0; else the whole word. */
const ofField = (mask: number | undefined) => (word: number) =>
  mask === undefined ? word : ((word & mask) >>> 0) >>> (31 - Math.clz32(mask & -mask));

/**
 * Answers with the words that a run read, when there is memory for their text.
 * @throws job_not_complete, job_data_missing, too_busy.
 */
export async function sendResult(
  { pool, outgoing }: ApiContext,
  { fpga_id: fpgaId, job_id: jobId, run }: Pick<Job, 'fpga_id' | 'job_id' | 'run'>,
  { caller, reply }: { caller: Caller; reply: FastifyReply },
): Promise<RunResult | FastifyReply> {
  const words = run?.op === 2 ? run.count : 0;
  if (words <= WORDS_AT_ONCE) {
    const { ok, data } = await pool.result(fpgaId, jobId);
    return { ok, data: Array.from(data, ofField(run?.mask)) };
  }
  await outgoing.reserve(reply.raw, caller, 4 * words + 2 * PIECE);
  const { ok, data } = await pool.result(fpgaId, jobId);
  const text = Readable.from(resultText(ok, data), { objectMode: false, highWaterMark: PIECE });
  return reply.type('application/json; charset=utf-8').send(text);
}
