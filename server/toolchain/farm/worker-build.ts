import type { Redis } from 'ioredis';
import { loadCatalogue } from '../../boards/catalogue/index.ts';
import { type Clock, pause } from '../../clock.ts';
import { MAX_UPLOAD } from '../../contract/bench/settings.ts';
import { parseAs } from '../../contract/check.ts';
import { BenchError } from '../../errors/bench-error.ts';
import { toolchainError } from '../../errors/toolchain.ts';
import type { Logger } from '../../log.ts';
import { BuildPublisher } from './build-publisher.ts';
import { runScript } from './connection.ts';
import { buildOfTicket } from './keys.ts';
import { type BuildMessage, isOrder } from './messages.ts';
import { packBuild, packMessage, sha256, unpack } from './packing.ts';
import { ENTRIES } from './scripts/common.ts';
import type { WorkerTools } from './worker-tools.ts';

/** Pause between attempts to deliver a result while Redis does not answer, ms. */
const RETRY_MS = 500;

/** Why a build stops: no bench wants it, another worker has it, or this worker ends. */
type StopReason = 'unwanted' | 'lost' | 'leaving';
/** How a build on a worker ends. */
export type WorkerOutcome = 'built' | 'failed' | 'stopped';

/** A build that a worker has taken from its queue. */
export interface TakenBuild {
  ticket: string;
  token: string;
  /** 1 for the first worker of the build. */
  start: number;
  /** The order, as JSON. */
  order: string;
  /** The last of the workers that died while building it; null where it may be built. */
  lostBy: string | null;
}

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
  /** Resolves when all work on the build has ended. */
  readonly done: Promise<WorkerOutcome>;
  readonly #taken: TakenBuild;
  readonly #options: ConstructorParameters<typeof WorkerBuild>[1];
  readonly #abort = new AbortController();
  #reason: StopReason | null = null;

  constructor(
    taken: TakenBuild,
    options: {
      redis: Redis;
      tools: WorkerTools;
      /** Name of the worker. */
      worker: string;
      sharedBytes: number;
      logger: Logger;
      clock: Clock;
    },
  ) {
    this.#options = options;
    this.#taken = taken;
    this.ticket = taken.ticket;
    this.token = taken.token;
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
    const { redis, logger, clock } = this.#options;
    const { start, lostBy } = this.#taken;
    const build = buildOfTicket(this.ticket);
    const began = clock.monotonic();
    const publisher = new BuildPublisher(redis, this.ticket, this.token, clock, ENTRIES, () =>
      this.stop('lost'),
    );
    logger.info({ build, start }, 'build started');
    const end = lostBy === null ? await this.#build(publisher) : this.#failure(lostTwice(lostBy));
    const left = await publisher.close();
    const rest = left && (await packMessage(left));
    const seconds = (clock.monotonic() - began) / 1000;
    logger.info({ build, outcome: end.outcome, reason: this.#reason ?? undefined, seconds }, 'build ended');
    if (this.#reason === 'lost') return 'stopped';
    if (this.#reason === 'leaving') {
      await this.#ask(() => runScript(redis, 'giveBack', [this.ticket, this.token]));
      return 'stopped';
    }
    const delivered = await this.#ask(() =>
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
    );
    if (delivered !== 1) {
      logger.warn({ build }, 'the result came too late: another worker has the build');
      return 'stopped';
    }
    return end.outcome;
  }

  /** Builds, and returns the outcome with its message. */
  async #build(publisher: BuildPublisher): Promise<Ended> {
    const { tools } = this.#options;
    const buildId = buildOfTicket(this.ticket);
    try {
      const order = parseAs(this.#taken.order, isOrder);
      if (order?.build_id !== buildId)
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
      const message = `The worker ${worker} failed with an internal error.`;
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

  /** Repeats a request until Redis answers; null when another worker has the build. */
  async #ask(ask: () => Promise<unknown>): Promise<unknown> {
    for (;;) {
      try {
        return await ask();
      } catch (error) {
        this.#options.logger.debug({ err: error }, 'the queue did not accept a message');
      }
      if (this.#reason === 'lost') return null;
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
