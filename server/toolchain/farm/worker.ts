import { randomBytes } from 'node:crypto';
import os from 'node:os';
import { type Job, Worker as QueueWorker } from 'bullmq';
import type { Redis } from 'ioredis';
import Type from 'typebox';
import { type Clock, every } from '../../clock.ts';
import { checkOf } from '../../contract/check.ts';
import type { Logger } from '../../log.ts';
import { VERSION } from '../../version.ts';
import { queueOf } from './capabilities.ts';
import { connect, runScript, shownAddress } from './connection.ts';
import { PREFIX, STOP_CHANNEL, WORK_CHANNEL } from './keys.ts';
import { watchLostBuilds } from './lost-builds.ts';
import type { Capability, WorkerCard } from './messages.ts';
import { waitsForQueue, watchStart } from './start-watch.ts';
import { WorkerBuild } from './worker-build.ts';
import type { WorkerTools } from './worker-tools.ts';

/** Queues are looked into so often even when nobody says that there is something, ms. */
const LOOK_MS = 2000;
/** Starts of one job that BullMQ itself allows: how often a build is given to another is decided here. */
const BULL_STARTS = 1000;

export interface WorkerOptions {
  /** See connect(). */
  address: string;
  /** Absent: that of the computer, with a number behind it where another worker has that. */
  name?: string;
  tools: WorkerTools;
  /** Builds at once. */
  slots: number;
  /** Seconds of silence after which it counts as dead and its builds are given to others. */
  lease: number;
  /** Bytes of the results that all benches share. */
  sharedBytes: number;
  logger: Logger;
  clock: Clock;
}

export interface FarmWorker {
  readonly id: string;
  /** Resolves when Redis has taken its first sign of life: never before it can be reached and takes the password. */
  readonly ready: Promise<void>;
  /** Takes nothing more; resolves when what it is at has ended. */
  leave(): Promise<void>;
  /** Gives back what it is at, and ends. */
  close(): Promise<void>;
}

const isAnswers = checkOf(Type.Array(Type.Integer()));

/** Takes builds from the queues that it can serve, makes them, and sends back what came of them, from when it is ready. */
export async function startWorker(options: WorkerOptions): Promise<FarmWorker> {
  const { logger, address } = options;
  let waitsFor = () => 'its tools have not said yet what they can build';
  const watched = watchStart(options.clock, logger, () => waitsFor());
  const capabilities = await options.tools.capabilities().catch((error: unknown) => {
    watched();
    throw error;
  });
  const queues = new Map(capabilities.map((capability) => [queueOf(capability), capability]));
  let said = '';
  const onError = (error: Error) => {
    // Its message alone: the client hangs the command on the error, and with it the password that was refused.
    if (error.message !== said)
      logger.warn({ reason: error.message, queue: shownAddress(address) }, 'the queue');
    said = error.message;
  };
  const redis = connect(address, onError);
  const news = connect(address, onError);
  redis.on('ready', () => {
    said = '';
  });
  waitsFor = () => waitsForQueue(redis.status);
  const worker = new Taker(options, queues, redis, news);
  worker.start(watched);
  return worker;
}

class Taker implements FarmWorker {
  readonly id = randomBytes(8).toString('hex');
  readonly ready: Promise<void>;
  #beReady: () => void = () => {};
  #name: string;
  /** Redis has taken a sign of life. */
  #isReady = false;
  readonly #options: WorkerOptions;
  readonly #capabilities: ReadonlyMap<string, Capability>;
  readonly #redis: Redis;
  readonly #news: Redis;
  readonly #queues = new Map<string, QueueWorker>();
  /** Queues that may hold something, the one that comes first first. */
  readonly #lively = new Set<string>();
  /** Builds under way by their tickets. */
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
    this.#redis = redis;
    this.#news = news;
    this.#name = options.name ?? os.hostname();
    this.ready = new Promise((resolve) => {
      this.#beReady = resolve;
    });
  }

  /** @param ready called when it is ready, or ends */
  start(ready: () => void): void {
    const { lease, clock, logger } = this.#options;
    void this.ready.then(ready);
    this.#ends.push(ready);
    for (const name of this.#capabilities.keys()) {
      const queue = new QueueWorker(name, null, {
        connection: this.#redis,
        prefix: PREFIX,
        autorun: false,
        lockDuration: lease * 1000,
        stalledInterval: lease * 500,
        maxStalledCount: BULL_STARTS,
      });
      queue.on('error', () => {}); // said by the connection itself
      queue.on('stalled', (ticket) => logger.warn({ ticket }, 'another worker has died with this build'));
      this.#queues.set(name, queue);
    }
    this.#news.on('message', (channel: string, text: string) => {
      if (channel === STOP_CHANNEL) this.#builds.get(text)?.stop('unwanted');
      else if (this.#queues.has(text)) this.#take([text]);
    });
    this.#news.subscribe(WORK_CHANNEL, STOP_CHANNEL).catch(() => {});
    const announce = () => void this.#announce();
    // After an outage at once: before others take our silence for our death.
    this.#redis.on('ready', announce);
    this.#ends.push(
      watchLostBuilds([...this.#queues.values()], this.#redis, clock, lease),
      every(clock, lease * 200, announce),
      every(clock, LOOK_MS, () => this.#take(this.#queues.keys())),
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
    // Without Redis nobody can be told: the others find out by our silence.
    await Promise.race([ended, this.#pause(3000)]);
    await Promise.race([
      runScript(this.#redis, 'farewell', [this.id, this.#name]).catch(() => {}),
      this.#pause(500),
    ]);
    for (const queue of this.#queues.values()) void queue.close(true).catch(() => {});
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

  /** Says that it lives and what it can do, and renews what it holds. */
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
        this.#take(this.#queues.keys());
      }
      const held = [...this.#builds.values()].filter((build) => build.holds);
      if (held.length === 0) return;
      const args = held.flatMap(({ queue, ticket, token }) => [queue, ticket, token]);
      const answers = await runScript(this.#redis, 'renew', [lease * 1000, ...args]);
      if (!isAnswers(answers)) throw new Error('the answer of the script renew is not one of this version');
      for (const [i, answer] of answers.entries())
        if (answer !== 1) held[i]?.stop(answer === 2 ? 'unwanted' : 'lost');
    } catch (error) {
      if (!this.#closed) logger.debug({ err: error }, 'the sign of life did not get through');
    }
  }

  /** Takes builds while there are some and slots are free. @param queues where there may be some */
  #take(queues: Iterable<string> = []): void {
    for (const queue of queues) this.#lively.add(queue);
    if (!this.#isReady) return;
    this.#taking ??= this.#takeAll()
      .catch((error: unknown) => {
        if (!this.#closed) this.#options.logger.debug({ err: error }, 'nothing could be taken');
      })
      .finally(() => {
        this.#taking = null;
        // There may have been news at this very moment.
        if (this.#lively.size > 0 && this.#builds.size < this.#options.slots && !this.#leaving) this.#take();
      });
  }

  async #takeAll(): Promise<void> {
    for (;;) {
      const free = this.#options.slots - this.#builds.size;
      const [name] = this.#lively;
      if (free <= 0 || name === undefined || this.#leaving) return;
      // The next time another queue comes first. What comes into this one from now on is said again.
      this.#lively.delete(name);
      const share = Math.ceil(free / (this.#lively.size + 1));
      const taken = await Promise.all(Array.from({ length: share }, () => this.#takeOne(name)));
      if (taken.every(Boolean)) this.#lively.add(name);
    }
  }

  async #takeOne(name: string): Promise<boolean> {
    const token = randomBytes(8).toString('hex');
    const job: Job<unknown> | undefined = await this.#queues.get(name)?.getNextJob(token, { block: false });
    if (job) this.#run(job, name, token);
    return job !== undefined;
  }

  #run(job: Job<unknown>, queue: string, token: string): void {
    const { tools, sharedBytes, logger, clock } = this.#options;
    const ticket = job.id ?? '';
    const worker = { id: this.id, name: this.#name };
    const build = new WorkerBuild({
      job,
      queue,
      token,
      redis: this.#redis,
      tools,
      worker,
      sharedBytes,
      logger,
      clock,
    });
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
