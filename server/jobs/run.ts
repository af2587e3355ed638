import type { RunDetails } from '../contract/jobs.ts';
import { jobsError } from '../errors/jobs.ts';
import type { TransferResult } from '../wishbone/link.ts';
import type { JobContext, Outcome, Step } from './steps.ts';
import { bytesToWords, hexWord } from './words.ts';

/** Transfers that take longer than a moment show how far they are. */
const PROGRESS_WORDS = 4096;
/** Words of a result that the log shows. */
const SHOWN_WORDS = 8;

/** One Wishbone transaction, single or burst. A bus fault is the design's answer: complete, `ok` false. */
export async function* run(context: JobContext): AsyncGenerator<Step, Outcome, void> {
  const { stored, log, now } = context;
  const { run: details, job_id: jobId } = stored.job;
  if (!details) throw jobsError('job_data_missing', { jobId });
  yield { kind: 'begun', stage: 'transfer' };
  const { op, address, count, fixed_address: fixed } = details;
  const words = count === 1 ? '1 word' : `${count} words`;
  const place = `${hexWord(address)}${fixed ? ' (fixed)' : ''}`;
  const did = op === 1 ? `wrote ${words} to ${place}` : `read ${words} from ${place}`;
  if (count === 0) {
    log('transfer', 'nothing to transfer');
    return { ok: true, summary: did };
  }
  const began = now();
  const result = await transfer(context, details);
  if (!result.ok) {
    const { kind, byteAddress } = result.fault;
    const fault = kind === 'timeout' ? 'no acknowledge from the design' : 'the design answered with err';
    const at = hexWord(byteAddress);
    log('transfer', `error: bus fault at byte address ${at}: ${fault}`);
    return { ok: false, summary: `bus fault at ${at}` };
  }
  const data = op === 1 ? new Uint32Array(0) : result.data;
  log('transfer', `${did} in ${(now() - began).toFixed(1)} ms${preview(data)}`);
  return { ok: true, words: data, summary: `${did}${preview(data)}` };
}

async function transfer(context: JobContext, details: RunDetails): Promise<TransferResult> {
  const { op, address, count, fixed_address: fixed } = details;
  const data = op === 1 ? await wordsToWrite(context, count) : null;
  const onProgress = (done: number) => context.progress('transfer', done / count);
  return await context.board.transfer(context.signal, (link, signal) => {
    const options = { fixed, signal, ...(count >= PROGRESS_WORDS ? { onProgress } : {}) };
    return data ? link.write(address, data, options) : link.read(address, count, options);
  });
}

/** The words to write: beside the record when they are few, else in the job's file. */
async function wordsToWrite({ stored, files }: JobContext, count: number): Promise<Uint32Array> {
  const { fpga_id: fpgaId, job_id: jobId } = stored.job;
  const bytes =
    stored.data === undefined
      ? await files.read(fpgaId, jobId, 'request')
      : Buffer.from(stored.data, 'base64');
  if (bytes?.length !== count * 4) throw jobsError('job_data_missing', { jobId });
  return bytesToWords(bytes);
}

function preview(words: Uint32Array): string {
  if (words.length === 0) return '';
  const shown = [...words.subarray(0, SHOWN_WORDS)].map(hexWord).join(' ');
  return `: ${shown}${words.length > SHOWN_WORDS ? ' …' : ''}`;
}
