import type { Redis } from 'ioredis';
import Type from 'typebox';
import { every } from '../../clock.ts';
import { checkOf, parseAs } from '../../contract/check.ts';
import { toolchainError } from '../../errors/toolchain.ts';
import type { BuildContext, SlotUse } from '../build-request.ts';
import type { CachedBuild } from '../cache/build-file.ts';
import { Slots } from '../slots.ts';
import { queueOf } from './capabilities.ts';
import { connectTwice, runScript, shownAddress } from './connection.ts';
import type { Farm } from './farm-view.ts';
import { type FarmView, readFarm } from './farm-view.ts';
import { type FarmLink, type FarmOptions, type FarmOrder, Following } from './following.ts';
import { artifactKey, newsChannel } from './keys.ts';
import { type Capability, isCapability } from './messages.ts';
import { unpackBuild } from './packing.ts';
import { soon } from './persistently.ts';
import { queueErrorOf } from './queue-errors.ts';

/** A build without news for SILENCE_MS is looked up in Redis; at most LOOKED_AFTER at a time. */
const SILENCE_MS = 5000;
const MAX_CHECKED = 200;
/** Builds that may request a place at once. The others wait, because a request holds its source in memory. */
const MAX_REQUESTS = 16;
/** Interval of the requests for places in line, and the number of builds in one request. */
const PLACES_MS = 1000;
const MAX_PLACES = 50;
/** A capability counts as offered for this long after a worker announced it, ms. */
const OFFERED_MS = 60_000;
/** Offers are read again after this time, ms. */
const OFFERS_MS = 500;
/** Tickets that have ended are collected for this long, then sent to Redis together, ms. */
const NOTED_MS = 200;
/** Interval of reading the farm's state, ms. */
const VIEW_MS = 2000;
/** Upper limit of Retry-After, seconds. */
const MAX_RETRY_AFTER = 60;

/** The view before the farm's state was first read. */
const NOTHING: FarmView = {
  workers: [],
  capabilities: new Map(),
  line: [],
  building: [],
  owners: {},
  waiting: 0,
  kept: { builds: 0, bytes: 0 },
  rates: { built: 0, failed: 0, stopped: 0, milliseconds: 0 },
};

/** A capability of workers, and whether one of them announced it recently. */
interface Offer {
  capability: Capability;
  queue: string;
  current: boolean;
}

const isPlaces = checkOf(
  Type.Array(
    Type.Tuple([Type.Integer(), Type.String(), Type.String(), Type.Enum(['', 'owner_limit', 'no_worker'])]),
  ),
);
const isOffers = checkOf(Type.Array(Type.String(), { minItems: 1 }));

/**
 * The bench's side of the queue of builds. It requests builds, follows them and fetches their results. Redis stores
 * the requests under the name of the bench, so that a restarted bench finds them.
 */
export class BuildFarm implements FarmLink, Farm {
  readonly options: FarmOptions;
  readonly #redis: Redis;
  readonly #news: Redis;
  readonly #passes = new Slots(MAX_REQUESTS);
  readonly #following = new Map<string, Following>();
  readonly #ends: (() => void)[] = [];
  /** Tickets that have ended here and were not yet sent to Redis. */
  #endedTickets: string[] = [];
  #closing = false;
  /** The last state of the farm without its builds: they are most of the work, and every bench reads the state all the time. */
  #lastView: FarmView = NOTHING;
  /** The builds of the last look(). */
  #shownBuilds: Pick<FarmView, 'line' | 'building'> = NOTHING;
  #outOfMemory = false;
  #offers: { at: number; offers: Promise<Offer[]> } | null = null;
  /** Why Redis does not answer; null while it answers. */
  #queueError: string | null = null;

  private constructor(options: FarmOptions) {
    this.options = options;
    const { redis, news } = connectTwice(options.address, options.logger, (error) => {
      this.#queueError = queueErrorOf(error);
    });
    this.#redis = redis;
    this.#news = news;
  }

  /** Opens the farm without waiting for Redis. @throws queue_address */
  static open(options: FarmOptions): BuildFarm {
    const farm = new BuildFarm(options);
    farm.#start();
    return farm;
  }

  get redis(): Redis {
    return this.#redis;
  }

  get address(): string {
    return shownAddress(this.options.address);
  }

  /** Why Redis does not answer, as the middle of a sentence; null while it answers. */
  get queueError(): string | null {
    return this.#redis.status === 'ready' ? null : (this.#queueError ?? queueErrorOf(null));
  }

  /** Builds of this bench that run and that wait, and the slots of all workers. */
  get slots(): SlotUse {
    const all = [...this.#following.values()];
    const busy = all.filter((one) => one.building).length;
    return {
      busy,
      waiting: all.length - busy,
      total: this.#lastView.workers.reduce((sum, worker) => sum + worker.slots, 0),
    };
  }

  #start(): void {
    const { clock, bench, logger } = this.options;
    this.#news.subscribe(newsChannel(bench)).catch(() => {});
    this.#news.on('message', (_channel: string, buildId: string) => this.#following.get(buildId)?.readNews());
    // News that Redis published while a connection was down is lost: read the streams again.
    for (const connection of [this.#news, this.#redis])
      connection.on('ready', () => {
        for (const one of this.#following.values()) one.readNews();
      });
    const failed = (err: unknown) =>
      this.#closing || logger.debug({ err }, 'the queue of builds did not answer');
    this.#redis.on('ready', () => void this.#watch().catch(failed));
    this.#ends.push(
      every(clock, SILENCE_MS, () => {
        const silent = [...this.#following.values()].filter((one) => one.silentFor >= SILENCE_MS);
        for (const one of silent.slice(0, MAX_CHECKED)) one.checkState();
      }),
      every(clock, PLACES_MS, () => void this.#askPlaces().catch(failed)),
      every(clock, VIEW_MS, () => void this.#watch().catch(failed)),
    );
  }

  async #watch(): Promise<void> {
    if (this.#redis.status !== 'ready') return;
    this.#lastView = await readFarm(this.#redis, 0, 0);
    const memory = await this.#redis.info('memory');
    const [used, most] = ['used_memory', 'maxmemory'].map((name) =>
      Number(new RegExp(`^${name}:(\\d+)`, 'm').exec(memory)?.[1] ?? 0),
    );
    this.#outOfMemory = most !== undefined && most > 0 && used !== undefined && used >= most;
  }

  async look(most: number): Promise<{ view: FarmView; problem: string | null }> {
    const known = (problem: string) => ({ view: { ...this.#lastView, ...this.#shownBuilds }, problem });
    if (this.queueError !== null) return known(this.queueError);
    let problem = queueErrorOf(null);
    // The client holds a command back while Redis is away. soon() limits how long the caller waits.
    const view = await soon(
      this.options.clock,
      readFarm(this.#redis, most).catch((error: unknown) => {
        problem = queueErrorOf(error);
        return null;
      }),
    );
    if (view === null) return known(this.queueError ?? problem);
    this.#shownBuilds = { line: view.line, building: view.building };
    return { view, problem: null };
  }

  full(owner: string): ReturnType<Farm['full']> {
    const { waiting: all, owners, rates, workers } = this.#lastView;
    const { waiting, ofOwner } = this.options.limits();
    const own = Object.hasOwn(owners, owner) ? (owners[owner] ?? 0) : 0;
    if (this.#outOfMemory) return { whose: 'memory', waiting: all, after: MAX_RETRY_AFTER };
    const whose = all >= waiting ? 'all' : own >= ofOwner ? 'owner' : null;
    if (whose === null) return null;
    // About the time in which the workers complete one build.
    const ended = rates.built + rates.failed + rates.stopped;
    const slots = workers.reduce((sum, worker) => sum + worker.slots, 0);
    const each = ended === 0 || slots === 0 ? MAX_RETRY_AFTER : rates.milliseconds / ended / slots / 1000;
    const after = Math.min(MAX_RETRY_AFTER, Math.max(1, Math.ceil(each)));
    return { whose, waiting: whose === 'all' ? all : own, after };
  }

  /** What the workers offer for a family and a language, latest first; old offers included. */
  offers(): Promise<Offer[]> {
    const { clock } = this.options;
    const last = this.#offers;
    if (last && clock.monotonic() - last.at < OFFERS_MS) return last.offers;
    const offers = this.#readOffers();
    this.#offers = { at: clock.monotonic(), offers };
    // A failed request is not cached.
    offers.catch(() => {
      this.#offers = null;
    });
    return offers;
  }

  /** Languages of the workers in the last state of the farm. */
  get languages(): ReadonlySet<Capability['language']> {
    const { workers, capabilities } = this.#lastView;
    const queues = new Set(workers.flatMap((worker) => worker.queues));
    return new Set([...queues].flatMap((queue) => capabilities.get(queue)?.language ?? []));
  }

  async #readOffers(): Promise<Offer[]> {
    const answer = await runScript(this.#redis, 'offers', []);
    if (!isOffers(answer)) throw new Error('the offers script returned an answer of another version');
    const [now = '0', ...rest] = answer;
    const found: Offer[] = [];
    for (let i = 0; i + 2 < rest.length; i += 3) {
      const [queue = '', text = '', seen = '0'] = rest.slice(i, i + 3);
      const capability = parseAs(text, isCapability);
      if (capability === null || queueOf(capability) !== queue) continue;
      found.push({ capability, queue, current: Number(now) - Number(seen) < OFFERED_MS });
    }
    return found;
  }

  /** Finds a stored result that any bench may have requested; null where there is none. */
  async find(buildId: string): Promise<CachedBuild | null> {
    const digest = await runScript(this.#redis, 'find', [buildId]);
    return typeof digest === 'string' ? this.#fetch(buildId, digest) : null;
  }

  async #fetch(buildId: string, digest: string): Promise<CachedBuild | null> {
    const packed = await this.#redis.getBuffer(artifactKey(digest));
    const build = packed && (await unpackBuild(packed, digest));
    if (build?.report?.build_id === buildId) return build;
    if (packed) this.options.logger.warn({ build: buildId }, 'a damaged build was removed from the queue');
    await runScript(this.#redis, 'forget', [buildId, digest]);
    return null;
  }

  /** Waits for permission to request a build. @returns lets the next one in @throws build_aborted */
  enter({ log }: Pick<BuildContext, 'log'>, signal: AbortSignal): Promise<() => void> {
    // A build that has a pass logs this itself.
    if (!this.#passes.free && this.queueError !== null)
      log('queue', `the queue at ${this.address} ${this.queueError}: waiting for it`);
    return this.#passes.acquire(signal);
  }

  /**
   * Has a worker make the build, and waits for as long as that takes. It rejects as a local build does.
   * When the service ends, the build goes on without this bench.
   */
  async build(order: FarmOrder, context: BuildContext, signal: AbortSignal): Promise<CachedBuild> {
    const following = new Following({
      farm: this,
      order,
      context,
      signal,
      ends: (reason) => this.#staysAfter(reason),
    });
    this.#following.set(order.buildId, following);
    try {
      return await following.result();
    } finally {
      this.#following.delete(order.buildId);
    }
  }

  /** Whether the build goes on after this reason. It does when the service ends; the next start finds it. */
  #staysAfter(reason: unknown): boolean {
    return (
      this.#closing || (reason instanceof Error && 'code' in reason && reason.code === 'service_stopped')
    );
  }

  noted(ticket: string): void {
    if (this.#endedTickets.push(ticket) > 1) return;
    const { clock, bench } = this.options;
    // A lost message only costs memory: Redis removes the ticket's log after an hour.
    clock.after(NOTED_MS, () => {
      const tickets = this.#endedTickets;
      this.#endedTickets = [];
      if (!this.#closing) runScript(this.#redis, 'noted', [bench, ...tickets]).catch(() => {});
    });
  }

  /** Fetches the result with this SHA-256. @throws build_damaged */
  async fetchResult(buildId: string, digest: string): Promise<CachedBuild> {
    const build = await this.#fetch(buildId, digest);
    if (!build) throw toolchainError('build_damaged');
    return build;
  }

  async #askPlaces(): Promise<void> {
    if (this.#redis.status !== 'ready') return;
    const waiting = [...this.#following.values()].filter((one) => one.ticket !== null && !one.building);
    const asked = waiting.slice(0, MAX_PLACES);
    if (asked.length === 0) return;
    const places = await runScript(this.#redis, 'places', [
      OFFERED_MS,
      ...asked.map((one) => one.ticket ?? ''),
    ]);
    if (!isPlaces(places)) throw new Error('the places script returned an answer of another version');
    for (const [i, [place, file, owner, held]] of places.entries())
      if (place > 0)
        asked[i]?.showPlace({ place, behind: file === '' ? null : { file, owner }, held: held || null });
  }

  /** Ends the following of builds. The builds themselves go on. */
  detach(): void {
    this.#closing = true;
  }

  close(): void {
    this.#closing = true;
    for (const end of this.#ends) end();
    this.#redis.disconnect();
    this.#news.disconnect();
  }
}
