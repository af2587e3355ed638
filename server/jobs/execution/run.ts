import type { RunDetails } from '../../contract/jobs/runs.ts';
import { RECORDED_WORDS } from '../../contract/stream/stream.ts';
import { jobsError } from '../../errors/jobs.ts';
import type { TransferResult } from '../../wishbone/link.ts';
import type { JobContext, Outcome } from './steps.ts';
import { bytesToWords, hexWord } from './words.ts';

/** Transfers of more words than this show progress. */
const PROGRESS_WORDS = 4096;
/** Words of a result that the log shows. */
const SHOWN_WORDS = 8;

/** Executes one Wishbone transaction, single or burst. After a bus fault the job is complete with `ok` false. */
export async function run(context: JobContext): Promise<Outcome> {
  const { stored, log, clock } = context;
  const { run: details, job_id: jobId } = stored.job;
  if (!details) throw jobsError('job_data_missing', { jobId });
  await context.begin('transfer');
  const { op, address, count, fixed_address: fixed } = details;
  const words = count === 1 ? '1 word' : `${count} words`;
  const place = `${hexWord(address)}${fixed ? ' (fixed)' : ''}`;
  const part = partOf(details);
  const did = op === 1 ? `wrote ${words} to ${place}${part}` : `read ${words} from ${place}${part}`;
  if (count === 0) {
    log('transfer', 'nothing to transfer');
    return { ok: true, summary: did };
  }
  const began = clock.monotonic();
  const written = op === 1 ? await wordsToWrite(context, count) : null;
  const { result, touched } = await transfer(context, details, written);
  const moved = Array.from(touched.subarray(0, RECORDED_WORDS));
  if (!result.ok) {
    const { kind, byteAddress } = result.fault;
    const [code, why] =
      kind === 'timeout'
        ? (['bus_timeout', 'no acknowledge from the design'] as const)
        : (['bus_error', 'the design answered with err'] as const);
    const at = hexWord(byteAddress);
    log('transfer', `error: bus fault at byte address ${at}: ${why}`);
    return { ok: false, moved, fault: { code, address: byteAddress }, summary: `bus fault at ${at}` };
  }
  const data = op === 1 ? new Uint32Array(0) : result.data;
  log('transfer', `${did} in ${(clock.monotonic() - began).toFixed(1)} ms${preview(data)}`);
  return { ok: true, words: data, moved, summary: `${did}${preview(data)}` };
}

/** The mask or byte select of a partial write, for the log. */
function partOf({ mask, select }: RunDetails): string {
  if (mask !== undefined) return ` (bits ${hexWord(mask)})`;
  return select === undefined ? '' : ` (bytes ${select.toString(2).padStart(4, '0')})`;
}

/** The outcome of the transfer, with the words that it read or wrote. */
interface Transferred {
  result: TransferResult;
  touched: Uint32Array;
}

async function transfer(
  context: JobContext,
  { address, count, fixed_address: fixed, select, mask }: RunDetails,
  written: Uint32Array | null,
): Promise<Transferred> {
  const onProgress = (done: number) => context.progress('transfer', done / count);
  return await context.board.transfer(context.signal, async (link, signal): Promise<Transferred> => {
    const options = { fixed, signal, ...(count >= PROGRESS_WORDS ? { onProgress } : {}) };
    if (written === null) {
      const result = await link.read(address, count, options);
      return { result, touched: result.ok ? result.data : new Uint32Array(0) };
    }
    let words = written;
    if (mask !== undefined) {
      // Read and write share one turn at the link: no other write comes between.
      const before = await link.read(address, 1, { signal });
      if (!before.ok) return { result: before, touched: new Uint32Array(0) };
      words = Uint32Array.of(((before.data[0] as number) & ~mask) | ((written[0] as number) & mask));
    }
    const result = await link.write(address, words, {
      ...options,
      ...(select === undefined ? {} : { select }),
    });
    return { result, touched: words };
  });
}

/** The words to write: in the record when they are few, else in a file of the job. */
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
