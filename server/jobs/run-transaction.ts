import type { RunDetails } from '../contract/jobs.ts';
import { jobsError } from '../errors/jobs.ts';
import type { TransferResult } from '../wishbone/link.ts';
import { failureOf } from './failure.ts';
import type { JobContext, JobOutcome } from './job-context.ts';
import { bytesToWords, hexWord } from './words.ts';

/** Transfers that take longer than a moment show how far they are. */
const PROGRESS_WORDS = 4096;
/** Words of a result that the log shows. */
const SHOWN_WORDS = 8;

/** One Wishbone transaction, single or burst. A bus fault is the design's answer: complete, `ok` false. */
export async function runTransaction(context: JobContext): Promise<JobOutcome> {
  const { run } = context.stored.job;
  if (context.node.state !== 'reserved' || !run)
    return { status: 'failed', failure: failureOf(jobsError('run_skipped'), context.logger) };

  const { op, address, count, fixed_address: fixed } = run;
  const words = count === 1 ? '1 word' : `${count} words`;
  const place = `${hexWord(address)}${fixed ? ' (fixed)' : ''}`;
  const did = op === 1 ? `wrote ${words} to ${place}` : `read ${words} from ${place}`;
  if (count === 0) {
    context.log('transfer', 'nothing to transfer');
    return { status: 'complete', ok: true, result: new Uint32Array(0), summary: did };
  }
  try {
    const began = performance.now();
    const result = await transfer(context, run);
    if (!result.ok) {
      const { kind, byteAddress } = result.fault;
      const fault = kind === 'timeout' ? 'no acknowledge from the design' : 'the design answered with err';
      const at = hexWord(byteAddress);
      context.log('transfer', `error: bus fault at byte address ${at}: ${fault}`);
      return { status: 'complete', ok: false, result: new Uint32Array(0), summary: `bus fault at ${at}` };
    }
    const milliseconds = (performance.now() - began).toFixed(1);
    const data = op === 1 ? new Uint32Array(0) : result.data;
    context.log('transfer', `${did} in ${milliseconds} ms${preview(data)}`);
    return { status: 'complete', ok: true, result: data, summary: `${did}${preview(data)}` };
  } catch (error) {
    const failure = failureOf(error, context.logger);
    // The service's own end says nothing about the board: it is programmed anew at the next start.
    if (failure.error === 'service_stopped') return { status: 'failed', failure };
    return { status: 'failed', event: 'board_failed', failure };
  }
}

async function transfer(context: JobContext, run: RunDetails): Promise<TransferResult> {
  const { op, address, count, fixed_address: fixed } = run;
  const data = op === 1 ? await words(context) : null;
  const onProgress = (done: number) => context.progress('transfer', done / count);
  return await context.board.transfer(context.signal, (link, signal) => {
    const options = { fixed, signal, ...(count >= PROGRESS_WORDS ? { onProgress } : {}) };
    return data ? link.write(address, data, options) : link.read(address, count, options);
  });
}

/** The words to write: beside the record when they are few, else in the job's file. */
async function words(context: JobContext): Promise<Uint32Array> {
  const { stored } = context;
  const { fpga_id: fpgaId, job_id: jobId, run } = stored.job;
  const bytes =
    stored.data === undefined
      ? await context.files.read(fpgaId, jobId, 'request')
      : Buffer.from(stored.data, 'base64');
  if (bytes?.length !== (run?.count ?? 0) * 4) throw jobsError('job_data_missing', { jobId });
  return bytesToWords(bytes);
}

function preview(words: Uint32Array): string {
  if (words.length === 0) return '';
  const shown = [...words.subarray(0, SHOWN_WORDS)].map(hexWord).join(' ');
  return `: ${shown}${words.length > SHOWN_WORDS ? ' …' : ''}`;
}
