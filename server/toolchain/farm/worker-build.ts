import type { Job } from 'bullmq';
import type { Redis } from 'ioredis';
import Type from 'typebox';
import { loadCatalogue } from '../../boards/catalogue/index.ts';
import { type Clock, pause } from '../../clock.ts';
import { MAX_UPLOAD } from '../../contract/bench/settings.ts';
import { checkOf } from '../../contract/check.ts';
import { BenchError } from '../../errors/bench-error.ts';
import { toolchainError } from '../../errors/toolchain.ts';
import type { Logger } from '../../log.ts';
import { packBuild, sha256, unpack } from './artifact.ts';
import { BuildPublisher } from './build-publisher.ts';
import { runScript } from './connection.ts';
import { packMessage } from './entries.ts';
import { buildOfTicket } from './keys.ts';
import { type BuildMessage, isOrder } from './messages.ts';
import { ENTRIES } from './scripts/common.ts';
import type { WorkerTools } from './worker-tools.ts';

/** Pause between attempts to deliver a result while Redis does not answer, ms. */
const RETRY_MS = 500;

/** Why a build stops: no bench wants it, another worker has it, or this worker ends. */
type StopReason = 'unwanted' | 'lost' | 'leaving';
/** How a build on a worker ends. */
export type WorkerOutcome = 'built' | 'failed' | 'stopped';

const isBegin = checkOf(
  Type.Union([
    Type.Tuple([Type.Literal('gone')]),
    Type.Tuple([Type.Enum(['poisoned', 'begun', 'held']), Type.Integer(), Type.String()]),
  ]),
);

const catalogue = (() => {
  let loaded: ReturnType<typeof loadCatalogue> | null = null;
  return () => {
    loaded ??= loadCatalogue();
    return loaded;
  };
})();

/** One build that a worker has taken from a queue. It never rejects; it reports every end to Redis. */
export class WorkerBuild {
  readonly ticket: string;
  readonly token: string;
  readonly queue: string;
  /** Resolves when all work on the build has ended. */
  readonly done: Promise<WorkerOutcome>;
  /** Whether Redis lists this worker as the holder of the build. */
  holds = false;
  readonly #options: ConstructorParameters<typeof WorkerBuild>[0];
  readonly #abort = new AbortController();
  #reason: StopReason | null = null;

  constructor(options: {
    job: Job<unknown>;
    queue: string;
    token: string;
    redis: Redis;
    tools: WorkerTools;
    worker: { id: string; name: string };
    sharedBytes: number;
    logger: Logger;
    clock: Clock;
  }) {
    this.#options = options;
    this.ticket = options.job.id ?? '';
    this.token = options.token;
    this.queue = options.queue;
    this.done = this.#run().catch((error: unknown) => {
      options.logger.warn(
        { err: error, build: buildOfTicket(this.ticket) },
        'the result of a build could not be delivered',
      );
      return 'stopped' as const;
    });
  }

  /** Stops the build; the first reason counts. */
  stop(reason: StopReason): void {
    this.#reason ??= reason;
    this.#abort.abort();
  }

  async #run(): Promise<WorkerOutcome> {
    const { redis, worker, logger, clock } = this.#options;
    const begin = await this.#ask(() =>
      runScript(redis, 'begin', [this.ticket, this.token, worker.id, worker.name, ENTRIES]),
    );
    if (begin === null) return 'stopped';
    if (!isBegin(begin)) throw new Error('the begin script returned an answer of another version');
    // 'gone': no bench wants the build, or another try has it; only its job in the queue is left.
    // 'held': the owner's limit does not allow it yet; its bench puts it into the queue again.
    if (begin[0] === 'gone' || begin[0] === 'held') {
      await this.#complete();
      // Without this message the bench finds out after a silence.
      if (begin[0] === 'held') await runScript(redis, 'parked', [this.ticket]).catch(() => {});
      return 'stopped';
    }
    this.holds = true;
    const [kind, count, after] = begin;
    const build = buildOfTicket(this.ticket);
    const began = clock.monotonic();
    const publisher = new BuildPublisher(redis, this.ticket, this.token, clock, ENTRIES, () =>
      this.stop('lost'),
    );
    logger.info({ build, start: count }, 'build started');
    const end = kind === 'poisoned' ? this.#failure(lostTwice(after)) : await this.#build(publisher);
    const left = await publisher.close();
    const rest = left && (await packMessage(left));
    const seconds = (clock.monotonic() - began) / 1000;
    logger.info({ build, outcome: end.outcome, reason: this.#reason ?? undefined, seconds }, 'build ended');
    if (this.#reason === 'lost') return 'stopped';
    if (this.#reason === 'leaving') {
      await this.#ask(() => runScript(redis, 'giveBack', [this.ticket, this.token]), true);
      await this.#options.job.moveToWait(this.token).catch(() => {});
      return 'stopped';
    }
    const delivered = await this.#ask(
      () =>
        runScript(redis, 'finish', [
          this.ticket,
          this.token,
          JSON.stringify(end.entry),
          ENTRIES,
          end.digest,
          end.packed,
          this.#options.sharedBytes,
          end.outcome,
          Math.round(seconds * 1000),
          ...(rest ? [rest] : []),
        ]),
      true,
    );
    this.holds = false;
    if (delivered !== 1) {
      logger.warn({ build }, 'the result came too late: another worker has the build');
      return 'stopped';
    }
    await this.#complete();
    return end.outcome;
  }

  /** Builds, and returns the outcome with its message. */
  async #build(publisher: BuildPublisher): Promise<Ended> {
    const { tools, job } = this.#options;
    const buildId = buildOfTicket(this.ticket);
    try {
      const order = job.data;
      if (!isOrder(order) || order.build_id !== buildId)
        throw toolchainError('build_damaged', { message: 'The build request is damaged.' });
      const source = await unpack(Buffer.from(order.source, 'base64'), MAX_UPLOAD).catch(() => null);
      if (source === null || sha256(source) !== order.sha256)
        throw toolchainError('build_damaged', {
          message: 'The source was damaged in transit to the worker.',
        });
      const board = catalogue().get(order.board);
      if (!board)
        throw toolchainError('build_other_version', {
          message: `The worker does not know the board ${order.board}.`,
        });
      const { filename, options } = order;
      const built = await tools.build(
        { source, filename, board, options, expected: buildId },
        {
          log: (stage, line) => publisher.line(stage, line),
          progress: (stage, fraction) => publisher.progress(stage, fraction),
          estimated: (estimate) => publisher.estimated(estimate),
          started: async () => {},
          signal: this.#abort.signal,
        },
      );
      const { bitstream, report } = built;
      const kept = await tools.cachedBuild(buildId);
      const packed = await packBuild(kept ?? { bitstream, report, log: '', symbols: null, floorplan: null });
      const digest = sha256(packed);
      return { outcome: 'built', entry: { kind: 'built', sha256: digest }, packed, digest };
    } catch (error) {
      return this.#failure(error);
    }
  }

  #failure(error: unknown): Ended {
    if (!(error instanceof BenchError)) {
      const { logger, worker } = this.#options;
      logger.error(
        { err: error, build: buildOfTicket(this.ticket) },
        'a build ended with an unexpected error',
      );
      const message = `The worker ${worker.name} failed with an internal error.`;
      return this.#failure(toolchainError('worker_failed', { message }));
    }
    const { code, status, message, remedy, diagnostics } = error;
    const failure = {
      error: code,
      message,
      remedy,
      ...(diagnostics.length > 0 && { diagnostics: [...diagnostics] }),
    };
    const outcome = this.#reason === null ? 'failed' : 'stopped';
    return { outcome, entry: { kind: 'failed', status, failure }, packed: Buffer.alloc(0), digest: '' };
  }

  /** Removes the job from BullMQ's queue; Redis has the outcome of the build. */
  async #complete(): Promise<void> {
    // If this fails, another worker takes the job later and finds nothing to do.
    await this.#options.job.moveToCompleted(null, this.token, false).catch(() => {});
  }

  /**
   * Repeats a request until Redis answers; null when the build was stopped meanwhile.
   * @param finishing goes on after a stop, except when another worker has the build
   */
  async #ask(ask: () => Promise<unknown>, finishing = false): Promise<unknown> {
    for (;;) {
      try {
        return await ask();
      } catch (error) {
        this.#options.logger.debug({ err: error }, 'the queue did not accept a message');
      }
      if (this.#reason === 'lost' || (this.#reason !== null && !finishing)) return null;
      await pause(this.#options.clock, RETRY_MS);
    }
  }
}

interface Ended {
  outcome: WorkerOutcome;
  entry: BuildMessage;
  packed: Buffer;
  digest: string;
}

const lostTwice = (last: string) =>
  toolchainError('worker_lost', {
    message: `Two workers died while building this design, the last one ${last}. It is not tried again.`,
  });
