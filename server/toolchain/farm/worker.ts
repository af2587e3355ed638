import { randomBytes } from 'node:crypto';
import os from 'node:os';
import type { Redis } from 'ioredis';
import Type from 'typebox';
import { type Clock, every } from '../../clock.ts';
import { checkOf } from '../../contract/check.ts';
import type { Logger } from '../../log.ts';
import { VERSION } from '../../version.ts';
import { queueOf } from './capabilities.ts';
import { connectTwice, runScript } from './connection.ts';
import { STOP_CHANNEL, WORK_CHANNEL } from './keys.ts';
import type { Capability, WorkerCard } from './messages.ts';
import { ENTRIES } from './scripts/common.ts';
import { type TakenBuild, WorkerBuild } from './worker-build.ts';
import type { WorkerTools } from './worker-tools.ts';

/** Interval in which queues are read without a notification, ms. */
const LOOK_MS = 2000;
/**
 * Parts of the lease: the interval of signs of life, and the silence after which the builds are suspect. After the same
 * time again other workers may take them: see reclaim in scripts/common.ts.
 */
const SIGN = 0.2;
const SUSPECT = 0.6;

/** Interval in which a slow start logs what it waits for, ms. */
const SAY_MS = 10_000;

/** What a connection waits for, by the client's status. Other statuses mean a failed connection, which is logged. */
const WAITS: Readonly<Record<string, string>> = {
  connecting: 'Redis cannot be reached: nothing answers, or TLS does not start',
  connect: 'Redis is connected but not ready: it is loading its data, or does not answer',
  ready: 'Redis does not answer the first heartbeat',
};

/** Options of a worker. */
export interface WorkerOptions {
  /** See connect(). */
  address: string;
  /** Default: the host name, with a number when another worker has that name. */
  name?: string;
  tools: WorkerTools;
  /** Builds at once. */
  slots: number;
  /** Silence after which a worker counts as dead and its builds go to others, seconds. */
  lease: number;
  /** Limit of the results that all benches share, bytes. */
  sharedBytes: number;
  logger: Logger;
  clock: Clock;
}

/** A running worker. */
export interface FarmWorker {
  readonly id: string;
  /** Resolves when Redis has accepted the first sign of life. */
  readonly ready: Promise<void>;
  /** Takes no more builds; resolves when the running ones have ended. */
  leave(): Promise<void>;
  /** Gives the running builds back, and ends. */
  close(): Promise<void>;
}

const isAnswers = checkOf(Type.Array(Type.Integer()));
const Text = Type.String();
const isTaken = checkOf(Type.Tuple([Type.Enum(['begun', 'poisoned']), Text, Type.Integer(), Text, Text]));

/** Starts a worker: it takes builds from the queues that it can serve, makes them, and sends their results. */
export async function startWorker(options: WorkerOptions): Promise<FarmWorker> {
  let waitsFor = () => 'its tools have not yet reported what they can build';
  const stopWatch = every(options.clock, SAY_MS, () =>
    options.logger.warn({ waits_for: waitsFor() }, 'the worker is not ready yet'),
  );
  const capabilities = await options.tools.capabilities().catch((error: unknown) => {
    stopWatch();
    throw error;
  });
  const queues = new Map(capabilities.map((capability) => [queueOf(capability), capability]));
  const { redis, news } = connectTwice(options.address, options.logger);
  waitsFor = () => WAITS[redis.status] ?? 'the connection to Redis fails and is retried';
  const worker = new RunningWorker(options, queues, redis, news);
  worker.start(stopWatch);
  return worker;
}

class RunningWorker implements FarmWorker {
  readonly id = randomBytes(8).toString('hex');
  readonly ready: Promise<void>;
  #beReady: () => void = () => {};
  #name: string;
  /** Whether Redis has accepted a sign of life. */
  #isReady = false;
  readonly #options: WorkerOptions;
  readonly #capabilities: ReadonlyMap<string, Capability>;
  readonly #redis: Redis;
  readonly #news: Redis;
  /** Names of its queues, in the order in which they are read. */
  #queues: readonly string[];
  /** Whether there may be builds that were not yet taken. */
  #mayHaveBuilds = false;
  /** Running builds by ticket. */
  readonly #builds = new Map<string, WorkerBuild>();
  readonly #ends: (() => void)[] = [];
  #counts = { built: 0, failed: 0 };
  #leaving = false;
  #closed = false;
  #taking: Promise<void> | null = null;
  #idle: (() => void) | null = null;

  constructor(
    options: WorkerOptions,
    capabilities: ReadonlyMap<string, Capability>,
    redis: Redis,
    news: Redis,
  ) {
    this.#options = options;
    this.#capabilities = capabilities;
    this.#queues = [...capabilities.keys()];
    this.#redis = redis;
    this.#news = news;
    this.#name = options.name ?? os.hostname();
    this.ready = new Promise((resolve) => {
      this.#beReady = resolve;
    });
  }

  /** @param ready called when the worker is ready, or ends */
  start(ready: () => void): void {
    const { lease, clock } = this.#options;
    void this.ready.then(ready);
    this.#ends.push(ready);
    this.#news.on('message', (channel: string, text: string) => {
      if (channel === STOP_CHANNEL) this.#builds.get(text)?.stop('unwanted');
      else if (this.#capabilities.has(text)) this.#take();
    });
    this.#news.subscribe(WORK_CHANNEL, STOP_CHANNEL).catch(() => {});
    const announce = () => void this.#announce();
    // Immediately after an outage, before this worker counts as dead.
    this.#redis.on('ready', announce);
    this.#ends.push(
      every(clock, lease * 1000 * SIGN, announce),
      every(clock, LOOK_MS, () => this.#take()),
    );
  }

  async leave(): Promise<void> {
    this.#leaving = true;
    await Promise.race([this.#announce(), this.#pause(500)]);
    while (this.#builds.size > 0 || (this.#taking && this.#reachable))
      await new Promise<void>((resolve) => {
        this.#idle = resolve;
        this.#redis.once('close', resolve);
        if (this.#builds.size === 0) void (this.#taking ?? Promise.resolve()).then(resolve);
      });
    await this.close();
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#leaving = true;
    this.#closed = true;
    for (const end of this.#ends) end();
    if (this.#reachable) await Promise.race([this.#taking, this.#pause(3000)]);
    const builds = [...this.#builds.values()];
    for (const build of builds) build.stop('leaving');
    const ended = Promise.allSettled(builds.map((build) => build.done));
    // Without Redis the builds cannot be given back. Other workers take them when the lease has run out.
    await Promise.race([ended, this.#pause(3000)]);
    await Promise.race([
      runScript(this.#redis, 'farewell', [this.id, this.#name]).catch(() => {}),
      this.#pause(500),
    ]);
    this.#redis.disconnect();
    this.#news.disconnect();
    await this.#options.tools.close();
  }

  get #reachable(): boolean {
    return this.#redis.status === 'ready';
  }

  #pause(milliseconds: number): Promise<void> {
    return new Promise((resolve) => setTimeout(resolve, milliseconds));
  }

  get #card(): WorkerCard {
    return {
      id: this.id,
      name: this.#name,
      version: VERSION,
      slots: this.#options.slots,
      busy: this.#builds.size,
      leaving: this.#leaving,
      ...this.#counts,
      queues: [...this.#capabilities.keys()],
    };
  }

  /** Sends a sign of life with the worker's capabilities, and renews the leases of its builds. */
  async #announce(): Promise<void> {
    const { lease, logger } = this.#options;
    const livesFor = Math.round(lease * 800);
    const offers = this.#leaving
      ? []
      : [...this.#capabilities].flatMap(([queue, capability]) => [queue, JSON.stringify(capability)]);
    try {
      if (this.#options.name === undefined) {
        const name = await runScript(this.#redis, 'name', [this.id, os.hostname(), livesFor]);
        if (typeof name === 'string') this.#name = name;
      }
      await runScript(this.#redis, 'announce', [this.id, JSON.stringify(this.#card), livesFor, ...offers]);
      this.#beReady();
      if (!this.#isReady) {
        this.#isReady = true;
        this.#take();
      }
      const leased = [...this.#builds.values()];
      if (leased.length === 0) return;
      const args = leased.flatMap(({ ticket, token }) => [ticket, token]);
      const answers = await runScript(this.#redis, 'renew', [this.#leaseMs, ...args]);
      if (!isAnswers(answers)) throw new Error('the renew script returned an answer of another version');
      for (const [i, answer] of answers.entries())
        if (answer !== 1) leased[i]?.stop(answer === 2 ? 'unwanted' : 'lost');
    } catch (error) {
      if (!this.#closed) logger.debug({ err: error }, 'a heartbeat was not delivered');
    }
  }

  /** Milliseconds for which a sign of life renews the leases. */
  get #leaseMs(): number {
    return Math.round(this.#options.lease * 1000 * SUSPECT);
  }

  /** Takes builds while slots are free. */
  #take(): void {
    this.#mayHaveBuilds = true;
    if (!this.#isReady) return;
    this.#taking ??= this.#takeAll()
      .catch((error: unknown) => {
        if (!this.#closed) this.#options.logger.debug({ err: error }, 'builds could not be taken');
      })
      .finally(() => {
        this.#taking = null;
      });
  }

  async #takeAll(): Promise<void> {
    while (this.#mayHaveBuilds && this.#builds.size < this.#options.slots && !this.#leaving) {
      // A build that arrives from here on sends its own notification.
      this.#mayHaveBuilds = false;
      const free = this.#options.slots - this.#builds.size;
      const taken = await Promise.all(Array.from({ length: free }, () => this.#takeOne()));
      this.#mayHaveBuilds ||= taken.every(Boolean);
    }
  }

  async #takeOne(): Promise<boolean> {
    const token = randomBytes(8).toString('hex');
    const [first = '', ...others] = this.#queues;
    this.#queues = [...others, first];
    const asked = [this.id, this.#name, token, this.#leaseMs, ENTRIES, first, ...others];
    const taken = await runScript(this.#redis, 'take', asked);
    if (taken === null) return false;
    if (!isTaken(taken)) throw new Error('the take script returned an answer of another version');
    const [kind, ticket, start, after, order] = taken;
    this.#run({ ticket, token, start, order, lostBy: kind === 'poisoned' ? after : null });
    return true;
  }

  #run(taken: TakenBuild): void {
    const { tools, sharedBytes, logger, clock } = this.#options;
    const worker = this.#name;
    const build = new WorkerBuild(taken, { redis: this.#redis, tools, worker, sharedBytes, logger, clock });
    const { ticket } = taken;
    this.#builds.set(ticket, build);
    void build.done.then((outcome) => {
      if (this.#builds.get(ticket) === build) this.#builds.delete(ticket);
      if (outcome === 'built') this.#counts.built++;
      if (outcome === 'failed') this.#counts.failed++;
      this.#idle?.();
      this.#take();
    });
  }
}
