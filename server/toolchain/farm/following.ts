import { randomBytes } from 'node:crypto';
import type { Redis } from 'ioredis';
import Type from 'typebox';
import { type Clock, pause } from '../../clock.ts';
import { checkOf } from '../../contract/check.ts';
import type { InQueue } from '../../contract/jobs/in-queue.ts';
import { assertNever, BenchError } from '../../errors/bench-error.ts';
import { toolchainError } from '../../errors/toolchain.ts';
import type { Logger } from '../../log.ts';
import { plural } from '../../text.ts';
import type { BuildContext, BuildRequest } from '../build-request.ts';
import type { CachedBuild } from '../cache/build-file.ts';
import { runScript } from './connection.ts';
import { logKey } from './keys.ts';
import type { BuildMessage, Order } from './messages.ts';
import { pack, sha256, unpackMessage } from './packing.ts';
import { persistently } from './persistently.ts';

/** Pause before a full queue is asked again, ms. */
const FULL_MS = 2000;
/** Pause while the previous try is being stopped, ms. */
const STOPPING_MS = 200;
/** Entries of the stream that are read at a time. */
const READ = 200;
/** A slightly better place in line is logged again only after this time, ms. */
const PLACE_MS = 10_000;

const isAdmission = checkOf(Type.Array(Type.Union([Type.String(), Type.Integer()]), { minItems: 1 }));
const isStanding = checkOf(Type.Tuple([Type.String(), Type.String()]));

/** A build that the bench orders. */
export interface FarmOrder {
  buildId: string;
  queue: string;
  request: BuildRequest;
  /** Called when it is in the queue or must wait: the next build may ask. */
  letNextIn(): void;
}

/** Options of a farm. */
export interface FarmOptions {
  /** See connect(). */
  address: string;
  /** Name of this bench, the same after a restart: 1 to 64 letters and digits. */
  bench: string;
  logger: Logger;
  clock: Clock;
  /** Limits of waiting builds, of waiting builds of one owner, and of running builds of one owner (0: no limit). */
  limits: () => { waiting: number; ofOwner: number; running: number };
}

/** The queue as one build uses it. */
export interface FarmLink {
  readonly options: FarmOptions;
  readonly redis: Redis;
  /** The address without user and password. */
  readonly address: string;
  /** Why Redis does not answer, as the middle of a sentence; null while it answers. */
  readonly queueError: string | null;
  /** Finds a stored result that any bench may have requested; null where there is none. */
  find(buildId: string): Promise<CachedBuild | null>;
  /** Fetches the result with this SHA-256. @throws build_damaged */
  fetchResult(buildId: string, digest: string): Promise<CachedBuild>;
  /** This bench knows how the try ended. Redis need not store the end for it. */
  noted(ticket: string): void;
}

/** How a try at a build ends. */
type TryEnd = { sha256: string } | { error: unknown } | 'lost';

/** One build that this bench waits for. */
export class Following {
  readonly #farm: FarmLink;
  readonly #order: FarmOrder;
  readonly #context: BuildContext;
  readonly #signal: AbortSignal;
  /** Whether the build goes on after this bench was stopped for this reason. */
  readonly #continuesAfter: (reason: unknown) => boolean;
  /** The try that is followed; null before there is one. */
  ticket: string | null = null;
  building = false;
  /** Id of the last entry that was read. */
  #cursor = '0-0';
  #lastNews = 0;
  #reading: Promise<void> | null = null;
  #hasNews = false;
  /** Whether a request for the state of the try is running. */
  #isChecking = false;
  #began = false;
  /** Number of the last message of the kind `lines`. */
  #number = 0;
  #shownPlace: { place: number; at: number } | null = null;
  #settle: ((end: TryEnd) => void) | null = null;

  constructor(options: {
    farm: FarmLink;
    order: FarmOrder;
    context: BuildContext;
    signal: AbortSignal;
    ends: (reason: unknown) => boolean;
  }) {
    this.#farm = options.farm;
    this.#order = options.order;
    this.#context = options.context;
    this.#signal = options.signal;
    this.#continuesAfter = options.ends;
    this.#lastNews = this.#now;
  }

  get #now(): number {
    return this.#farm.options.clock.monotonic();
  }

  /** Milliseconds since the last news. */
  get silentFor(): number {
    return this.ticket === null ? 0 : this.#now - this.#lastNews;
  }

  /** Requests the build and resolves with its result. Outages of Redis and lost workers only delay it. */
  async result(): Promise<CachedBuild> {
    const { buildId, request } = this.#order;
    for (let again = request.again === true; ; again = false) {
      const end = again ? await this.#rejoin() : await this.#request();
      if (end === 'lost') {
        const kept = await this.#persistently(() => this.#farm.find(buildId));
        if (kept) {
          await this.#begin();
          return kept;
        }
        this.#log('the queue lost this build: requesting it again');
        continue;
      }
      if ('error' in end) throw end.error;
      try {
        return await this.#persistently(() => this.#farm.fetchResult(buildId, end.sha256), isDamaged);
      } catch (error) {
        if (!isDamaged(error)) throw error;
        this.#context.log('scan', 'the result was damaged in transit: requesting the build again');
      }
    }
  }

  /** Reads news of the try. */
  readNews(): void {
    this.#lastNews = this.#now;
    if (this.ticket === null) return;
    this.#hasNews = true;
    void this.#read(this.ticket);
  }

  /** Checks after a silence whether the try still exists. When Redis does not answer, the log says so. */
  checkState(): void {
    const ticket = this.ticket;
    if (ticket === null) return;
    this.readNews();
    if (this.#isChecking) return;
    this.#isChecking = true;
    void this.#checkState(ticket)
      .catch(() => {})
      .finally(() => {
        this.#isChecking = false;
      });
  }

  /** Shows the place in line. */
  showPlace({ place, behind, held }: InQueue): void {
    if (this.building || this.#signal.aborted) return;
    this.#context.waiting?.({ place, behind, held });
    const late = this.#shownPlace === null || this.#now - this.#shownPlace.at >= PLACE_MS;
    if (this.#shownPlace?.place === place || (!late && place > 3)) return;
    this.#shownPlace = { place, at: this.#now };
    const before = behind ? `, after ${behind.file} of ${behind.owner}` : '';
    this.#log(`waiting for a worker: place ${place} in line${before}`);
  }

  /** Requests a try, and resolves with its end. */
  async #request(): Promise<TryEnd> {
    const kept = await this.#requestAdmission();
    if (kept === null) return await this.#follow();
    const ended = this.#ends();
    await this.#begin();
    this.#settle?.(kept);
    return await ended;
  }

  /** Resolves with the first argument of `#settle` from here on. */
  #ends(): Promise<TryEnd> {
    return new Promise<TryEnd>((resolve) => {
      this.#settle = resolve;
    });
  }

  /** Resolves with null when the build has a try, or with its result when another try has built it. */
  async #requestAdmission(): Promise<{ sha256: string } | null> {
    const { buildId, queue, request } = this.#order;
    const { clock, bench, limits } = this.#farm.options;
    const proposed = `${buildId}-${randomBytes(6).toString('hex')}`;
    const { owner = '', options } = request;
    const order = JSON.stringify(await orderOf(this.#order));
    for (let full = false; ; ) {
      const { waiting, ofOwner, running } = limits();
      const answer = await this.#persistently(() =>
        runScript(this.#farm.redis, 'admit', [
          buildId,
          proposed,
          queue,
          owner,
          bench,
          options.priority === 'batch' ? 1 : 0,
          request.filename,
          waiting,
          ofOwner,
          running,
          order,
        ]),
      );
      if (!isAdmission(answer)) throw new Error('the admit script returned an answer of another version');
      const [kind, ticket] = answer;
      this.#order.letNextIn();
      if (kind === 'new' || kind === 'joined') {
        this.ticket = String(ticket);
        this.#cursor = '0-0';
        this.#number = 0;
        this.building = false;
        return null;
      }
      if (kind === 'kept') return { sha256: String(ticket) };
      if (kind !== 'stopping' && !full) {
        full = true;
        const whose = kind === 'owner_full' ? ' of this owner' : '';
        const waiting = plural(Number(ticket), `build${whose} waits`, `builds${whose} wait`);
        this.#context.log('queue', `the queue is full (${waiting}): waiting for room`);
      }
      await pause(clock, kind === 'stopping' ? STOPPING_MS : FULL_MS);
      if (this.#signal.aborted) throw toolchainError('build_aborted');
    }
  }

  /** Finds the try of before the restart, and resolves with its end. */
  async #rejoin(): Promise<TryEnd> {
    const { redis, options } = this.#farm;
    const answer = await this.#persistently(() =>
      runScript(redis, 'rejoin', [this.#order.buildId, options.bench]),
    );
    if (!isAdmission(answer)) throw new Error('the rejoin script returned an answer of another version');
    const [kind, ticket] = answer;
    if (kind === 'lost') return 'lost';
    this.ticket = String(ticket);
    this.#cursor = '0-0';
    return await this.#follow();
  }

  /** Follows the try to its end. */
  async #follow(): Promise<TryEnd> {
    const ticket = this.ticket ?? '';
    const ended = this.#ends();
    const abort = () => {
      const { reason } = this.#signal;
      this.#settle?.({ error: toolchainError('build_aborted', { cause: reason }) });
      if (!this.#continuesAfter(reason)) void this.#leave(ticket).catch(() => {});
    };
    this.#signal.addEventListener('abort', abort, { once: true });
    if (this.#signal.aborted) abort();
    this.#order.letNextIn();
    this.readNews();
    try {
      return await ended;
    } finally {
      this.#signal.removeEventListener('abort', abort);
      this.#settle = null;
      this.ticket = null;
    }
  }

  async #leave(ticket: string): Promise<void> {
    const { redis, options } = this.#farm;
    await runScript(redis, 'leave', [ticket, options.bench]);
  }

  async #checkState(ticket: string): Promise<void> {
    const lastNews = this.#lastNews;
    const standing = await this.#persistently(() => runScript(this.#farm.redis, 'standing', [ticket]));
    // An answer is stale after news, and when it was requested before an outage: workers return together with Redis.
    if (!isStanding(standing) || ticket !== this.ticket || this.#lastNews !== lastNews) return;
    const [state, gone] = standing;
    if (state === 'gone') {
      // The entry that ended it may not have been read yet.
      await this.#read(ticket);
      if (ticket === this.ticket) this.#settle?.('lost');
      return;
    }
    // The next entry comes from another worker that begins, or from this one when its connection is back.
    if (gone !== '' && this.building) {
      this.building = false;
      this.#log(`worker ${gone} no longer answers: the build waits for another one`);
    }
  }

  /** Logs a line that belongs to no stage of the build. */
  #log(line: string): void {
    this.#context.log(this.#began ? 'scan' : 'queue', line);
  }

  #read(ticket: string): Promise<void> {
    this.#reading ??= this.#readEntries(ticket)
      // The next news, or the check after a silence, reads again.
      .catch(() => {})
      .finally(() => {
        this.#reading = null;
      });
    return this.#reading;
  }

  async #readEntries(ticket: string): Promise<void> {
    for (let more = true; more && ticket === this.ticket; ) {
      this.#hasNews = false;
      const { redis } = this.#farm;
      const entries = await redis.xrangeBuffer(logKey(ticket), `(${this.#cursor}`, '+', 'COUNT', READ);
      for (const [id, [, entry]] of entries) {
        const message = entry ? await unpackMessage(entry) : null;
        if (ticket !== this.ticket) return;
        if (message) await this.#handle(message);
        this.#cursor = id.toString();
      }
      more = entries.length === READ || this.#hasNews;
    }
  }

  async #handle(message: BuildMessage): Promise<void> {
    switch (message.kind) {
      case 'begun': {
        this.building = true;
        this.#number = 0;
        await this.#begin();
        const { worker, start, after } = message;
        const again = start > 1 ? `: ${after} did not finish it, so it starts over (start ${start})` : '';
        return this.#context.log('scan', `worker ${worker} builds it${again}`);
      }
      case 'lines':
        // Redis may have dropped the message that the build begins.
        this.building = true;
        await this.#begin();
        if (message.number > this.#number + 1)
          this.#context.log(
            message.lines[0]?.[0] ?? 'scan',
            '… lines may be missing here: the queue keeps only the latest',
          );
        this.#number = message.number;
        for (const [stage, line] of message.lines) this.#context.log(stage, line);
        if (message.progress) this.#context.progress(...message.progress);
        if (message.estimate) this.#context.estimated?.(message.estimate);
        return;
      case 'held': {
        if (this.building) return;
        const owner = this.#order.request.owner ?? 'this owner';
        const running = plural(message.running, 'build');
        return this.#context.log('queue', `waiting: ${owner} has ${running} running, which is the limit`);
      }
      case 'built':
        await this.#begin();
        this.#noted();
        return this.#settle?.({ sha256: message.sha256 });
      case 'failed': {
        await this.#begin();
        const { failure, status } = message;
        const { error: code, remedy, diagnostics = [] } = failure;
        const error = new BenchError(code, { status, message: failure.message, remedy }, { diagnostics });
        this.#noted();
        return this.#settle?.({ error });
      }
      default:
        return assertNever(message);
    }
  }

  /** Tells Redis that the end is known. An aborted bench does not: its next start must find the end. */
  #noted(): void {
    if (this.ticket !== null && !this.#signal.aborted) this.#farm.noted(this.ticket);
  }

  /** Starts the job. When the job must not start, the build is left. */
  async #begin(): Promise<void> {
    if (this.#began) return;
    this.#began = true;
    try {
      await this.#context.started();
    } catch (error) {
      const ticket = this.ticket;
      this.#settle?.({ error });
      if (ticket !== null && !this.#continuesAfter(error)) await this.#leave(ticket).catch(() => {});
    }
  }

  #persistently<T>(ask: () => Promise<T>, final: (error: unknown) => boolean = () => false): Promise<T> {
    const { clock } = this.#farm.options;
    const log = (queueError: string) =>
      this.#log(`the queue at ${this.#farm.address} ${this.#farm.queueError ?? queueError}: waiting for it`);
    return persistently(clock, ask, log, this.#signal, final);
  }
}

const isDamaged = (error: unknown): boolean => error instanceof BenchError && error.code === 'build_damaged';

async function orderOf({ request, buildId }: FarmOrder): Promise<Order> {
  const { source, filename, board, options } = request;
  return {
    build_id: buildId,
    board: board.id,
    filename,
    options,
    source: (await pack(source)).toString('base64'),
    sha256: sha256(source),
  };
}
