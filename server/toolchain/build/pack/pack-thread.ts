import { untilAborted } from '../../../abort.ts';
import type { Clock } from '../../../clock.ts';
import { toolchainError } from '../../../errors/toolchain.ts';
import { distPath } from '../../../paths.ts';
import { ownCopy, WorkerPool } from '../../../process/worker-pool.ts';

/** Answer of the thread. */
export type Packed = { kind: 'packed'; bitstream: Uint8Array } | { kind: 'refused'; reason: string };

/** Heap limit of the thread, MiB; the text form of the largest die has 1 MB. */
const HEAP = 128;

const threads = new WorkerPool(distPath('server', 'pack-worker.js'), HEAP);

/** Starts a thread for a design that will be packed soon. */
export const prepareToPack = (): void => threads.prepare();

const isPacked = (value: unknown): value is Packed =>
  typeof value === 'object' &&
  value !== null &&
  'kind' in value &&
  ((value.kind === 'packed' && 'bitstream' in value && value.bitstream instanceof Uint8Array) ||
    (value.kind === 'refused' && 'reason' in value && typeof value.reason === 'string'));

/**
 * Packs a routed iCE40 design in a thread of its own: see packIce40.
 * @param options.deadline seconds
 * @throws tool_failed for an invalid configuration, tool_crashed, tool_deadline, build_aborted
 */
export async function packInThread(
  configuration: Uint8Array,
  { clock, deadline, signal }: { clock: Clock; deadline: number; signal?: AbortSignal },
): Promise<Uint8Array> {
  const stopped = () => toolchainError('build_aborted');
  if (signal?.aborted) throw stopped();
  const worker = threads.take();
  let answered = false;
  let cancelDeadline = () => {};
  try {
    const answer = new Promise<unknown>((resolve, reject) => {
      worker.once('message', (packed: unknown) => {
        answered = true;
        resolve(packed);
      });
      worker.once('error', (cause) => reject(crashed(cause)));
      worker.once('exit', () => reject(crashed(null)));
      cancelDeadline = clock.after(deadline * 1000, () =>
        reject(
          toolchainError('tool_deadline', {
            message: `Packing was stopped after ${deadline} s.`,
            details: { tool: 'packer', deadline },
          }),
        ),
      );
      const sent = ownCopy(configuration);
      worker.postMessage(sent, [sent.buffer]);
    });
    const packed = await untilAborted(answer, signal, stopped);
    if (!isPacked(packed)) throw crashed(null);
    if (packed.kind === 'refused')
      throw toolchainError('tool_failed', {
        message: `The output of place and route cannot be packed: ${packed.reason}.`,
        details: { tool: 'packer' },
      });
    return packed.bitstream;
  } finally {
    cancelDeadline();
    if (answered) threads.giveBack(worker);
    else void worker.terminate();
  }
}

const crashed = (cause: unknown) =>
  toolchainError('tool_crashed', {
    message: 'The packer crashed on this design.',
    details: { tool: 'packer' },
    ...(cause !== null && { cause }),
  });
