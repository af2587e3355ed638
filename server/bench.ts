import { randomUUID } from 'node:crypto';
import os from 'node:os';
import path from 'node:path';
import { createApp } from './api/app.ts';
import { sharedStatus } from './api/bench/status.ts';
import type { ApiContext } from './api/context.ts';
import { isLoopback } from './api/edge/address.ts';
import { Enforcement } from './api/edge/enforcement.ts';
import { HolderAddresses } from './api/edge/holder-addresses.ts';
import { Limits } from './api/edge/limits.ts';
import { OpenResponses } from './api/edge/open-responses.ts';
import { Outgoing } from './api/edge/outgoing.ts';
import { LiveClients } from './api/events/live.ts';
import { Network, plainHost } from './api/network/network.ts';
import { NodePorts } from './api/stream/node-ports.ts';
import { openCourses } from './bench-courses.ts';
import { benchesWish, followEvents, statusAnnouncer } from './bench-events.ts';
import { poolSettings } from './bench-limits.ts';
import {
  type Foundation,
  ofService,
  openAudit,
  openBenchId,
  openKeys,
  openSettings,
  realBoards,
  realDoctor,
  realToolchain,
} from './bench-parts.ts';
import { areBenchNames } from './benches/bench-names.ts';
import { Benches } from './benches/benches.ts';
import type { MulticastOptions } from './benches/multicast.ts';
import { areStoredRemoteJobs } from './benches/remote-job-record.ts';
import { RemoteJobs } from './benches/remote-jobs.ts';
import { areStoredChecks, BoardChecks } from './board-check/index.ts';
import type { Board, BoardPool } from './boards/board.ts';
import { Captures } from './capture/captures.ts';
import { RunningDesigns } from './capture/inside.ts';
import { Signals } from './capture/signals.ts';
import { type Clock, systemClock } from './clock.ts';
import type { Finding } from './contract/boards/boards.ts';
import { DesignCaptures } from './designs/captures.ts';
import { Designs } from './designs/designs.ts';
import { EventHub } from './events/events.ts';
import { createIdentityExchange } from './identity/provider.ts';
import type { NodePool } from './jobs/node-pool.ts';
import type { Logger, RecentLines } from './log.ts';
import { BenchMetrics } from './metrics/bench-metrics.ts';
import { countedToolchain } from './metrics/counted-toolchain.ts';
import { distPath, resourcePath } from './paths.ts';
import { BenchPins } from './pins/bench-pins.ts';
import type { BenchSettings } from './settings.ts';
import { DataSize } from './store/data-size.ts';
import { openStore } from './store/index.ts';
import { Streams } from './stream/streams.ts';
import type { Toolchain } from './toolchain/toolchain.ts';
import { VERSION } from './version.ts';

export interface BenchOptions {
  /** The data directory; made when it is missing. */
  dataDir: string;
  /** Sentences about the data directory for the operator. */
  notices?: readonly string[];
  logger: Logger;
  /** The newest log lines, for reports. */
  recent?: RecentLines;
  /** Address to listen at; default from the settings. */
  host?: string;
  /** Port to listen at, 0 for a free one; default from the settings. */
  port?: number;
  /** Gives its bearer the operator's rights. Without one, callers on this computer are operators. */
  operatorToken?: string;
  clock?: Clock;
  /** Load the tools once the service listens, so that the first build does not wait for them. */
  warm?: boolean;
  /** Replacements for real parts. */
  boards?: (foundation: Foundation, slotBusy: (slot: number) => boolean) => Promise<BoardPool>;
  toolchain?: (foundation: Foundation) => Promise<Toolchain>;
  gradingBoard?: () => Promise<Board>;
  doctor?: () => Promise<Finding[]>;
  guiFolder?: string;
  /** Where benches find each other; default multicast DNS on every interface. */
  multicast?: MulticastOptions;
}

/** A running bench. */
export interface Bench {
  /** As a caller on this computer writes it, e.g. `http://127.0.0.1:8000`. */
  readonly url: string;
  readonly port: number;
  /** As callers on the LAN write it; empty while the LAN is closed. */
  readonly lanUrls: string[];
  /** SHA-256 of the certificate on the LAN; null without TLS. */
  readonly fingerprint: string | null;
  readonly pool: NodePool;
  readonly events: EventHub;
  readonly settings: BenchSettings;
  /** Open event streams, and the number from other computers. */
  clients(): { total: number; lan: number };
  close(): Promise<void>;
}

/**
 * Creates a bench and listens. After a failure, opened parts are closed again.
 * @throws BenchError store_locked, store_unwritable, store_too_new, port_in_use, address_not_usable.
 */
export async function createBench(options: BenchOptions): Promise<Bench> {
  const { logger, clock = systemClock } = options;
  const closing: (() => Promise<unknown> | unknown)[] = [];
  const closeAll = async () => {
    for (const close of closing.splice(0).reverse())
      try {
        await close();
      } catch (error) {
        logger.error({ err: error }, 'a part of the bench did not close');
      }
  };
  try {
    return await assemble(options, clock, closing, closeAll);
  } catch (error) {
    await closeAll();
    throw error;
  }
}

async function assemble(
  options: BenchOptions,
  clock: Clock,
  closing: (() => Promise<unknown> | unknown)[],
  closeAll: () => Promise<void>,
): Promise<Bench> {
  const { logger } = options;
  const startedAt = clock.now();
  const metrics = new BenchMetrics(VERSION);
  const store = await openStore(options.dataDir, {
    logger,
    clock,
    onFlush: (milliseconds) => metrics.onFlush(milliseconds),
  });
  closing.push(() => store.close());
  const lanByOption = options.host !== undefined && options.host !== 'localhost' && !isLoopback(options.host);
  const settings = await openSettings(store, lanByOption, logger);
  const outgoing = new Outgoing({
    clock,
    onDropped: (count) => logger.warn({ count }, 'answers were cut off: their callers stopped reading'),
  });
  const network = new Network({
    clock,
    logger,
    outgoing,
    files: store.files,
    folder: path.join(store.folder, 'tls'),
  });
  closing.push(
    () => outgoing.close(),
    () => network.close(),
  );
  await network.listen(settings.current.network, options);
  const keys = await openKeys(store, settings, clock);
  const events = new EventHub((error) => logger.error({ err: error }, 'an event listener failed'));
  const foundation: Foundation = {
    store,
    settings,
    events,
    logger,
    clock,
    benchId: await openBenchId(store),
  };

  const audit = await openAudit(foundation);
  closing.push(async () => {
    audit.add(ofService('ended'));
    await audit.close();
  });
  audit.add(ofService('started'));

  let pool: NodePool | undefined;
  let remembered: Streams | undefined;
  const slotBusy = (slot: number) => pool !== undefined && pool.node(slot).state !== 'idle';
  const [boards, toolchain] = await Promise.all([
    (options.boards ?? realBoards)(foundation, slotBusy),
    (options.toolchain ?? realToolchain)(foundation),
  ]);
  closing.push(
    () => boards.close(),
    () => toolchain.close(),
  );
  const size = new DataSize({ folder: store.folder, jobs: () => store.jobFiles.sizes.total, clock });
  closing.push(() => size.close());
  const [{ createNodePool }] = await Promise.all([import('./jobs/node-pool.ts'), size.measure()]);
  const designs = await Designs.open({ store, clock, logger });
  closing.push(() => designs.close());
  const counted = countedToolchain(toolchain, metrics);
  const { gradingBoard } = options;
  const courses = await openCourses({ ...foundation, keys, designs, toolchain: counted, gradingBoard });
  const nodes: NodePool = await createNodePool({
    store,
    boards,
    toolchain: counted,
    events,
    clock,
    newId: randomUUID,
    keptScript: (id) => designs.document(id, 'script'),
    logger,
    settings: poolSettings(settings.current),
    shares: courses.shares,
    transactions: (fpgaId) => remembered?.transactionCount(fpgaId) ?? 0,
  });
  pool = nodes;
  designs.follow(nodes, events);
  if (settings.enforcedByOption) await nodes.renewSessionIds();
  closing.push(() => nodes.close());
  const { close: closeCourses, ...coursework } = await courses.connect(nodes);
  closing.push(closeCourses);
  const checks = new BoardChecks({
    pool: nodes,
    boards,
    events,
    document: await store.document('board-checks', {}, areStoredChecks),
    clock,
    newId: randomUUID,
    logger,
    sys: process.platform === 'linux' ? '/sys' : null,
  });
  closing.push(() => checks.close());

  const announceStatus = statusAnnouncer({ clock, events }, () => context);
  const underway = new OpenResponses(clock);
  const streams = new Streams({
    pool: nodes,
    events,
    clock,
    newId: randomUUID,
    maxWords: () => settings.current.limits.words_per_run,
  });
  remembered = streams;
  const running = new RunningDesigns(nodes, boards, toolchain, clock);
  const captures = new Captures({ designs: running, events, clock, newId: randomUUID });
  closing.push(() => captures.close());
  const pins = new BenchPins({ pool: nodes, events, clock });
  const onDropped = () => logger.warn('an event stream was dropped: its client stopped reading');
  const live = new LiveClients({ clock, outgoing, onCount: announceStatus, onDropped });
  // A window has one besides its main stream, so it does not count as another client.
  const livePins = new LiveClients({ clock, outgoing, onCount() {}, onDropped });
  const benches = new Benches({
    id: foundation.benchId,
    clock,
    logger,
    events,
    multicast: options.multicast,
    names: await store.document('bench-names', [], areBenchNames),
  });
  closing.push(() => benches.close());
  const away = new RemoteJobs({
    benches,
    document: await store.document('away-jobs', [], areStoredRemoteJobs),
    clock,
    logger,
    newId: randomUUID,
  });
  closing.push(() => away.close());
  const context: ApiContext = {
    version: VERSION,
    pool: nodes,
    events,
    settings,
    boards,
    checks,
    capabilities: async () => (await import('./board-check/capabilities.ts')).loadCapabilities(),
    toolchain,
    keys,
    identity: createIdentityExchange(() => clock.now()),
    live,
    livePins,
    benches,
    away,
    designs,
    savedCaptures: new DesignCaptures(designs, store.designFiles, clock),
    courses: courses.courses,
    shares: courses.shares,
    ...coursework,
    pins,
    streams,
    signals: new Signals(nodes, running),
    captures,
    holders: new HolderAddresses(),
    limits: new Limits(clock),
    outgoing,
    underway,
    enforcement: new Enforcement(),
    metrics,
    audit,
    logger,
    clock,
    startedAt,
    operatorToken: options.operatorToken ?? null,
    listening: () => network.listening,
    openNetwork: (wanted) => network.open(wanted),
    recentLog: () => options.recent?.lines ?? [],
    networkProblems: () => [...(network.problem === null ? [] : [network.problem]), ...ports.problems],
    checkStore: () => store.check(),
    storeHealthy: () => store.healthy,
    storeNotices: [...(options.notices ?? []), ...store.notices.map(({ message }) => message)],
    dataFolder: store.folder,
    hostname: os.hostname(),
    space: () => ({
      level: store.space.level,
      bytes: size.bytes,
      jobsBytes: store.jobFiles.sizes.total,
      freeBytes: store.space.now?.free ?? null,
    }),
    doctor: options.doctor ?? (() => realDoctor(foundation)),
    examplesFolder: resourcePath('examples'),
    guiFolder: options.guiFolder ?? distPath('renderer'),
  };
  metrics.watch({
    now: () => clock.now(),
    status: () => sharedStatus(context),
    nodes: () => nodes.nodes(),
    boards: () => boards.list(),
    openJobs: () => nodes.jobs({ statuses: ['queued', 'running'] }),
    streams: () => ({ total: live.count, lan: live.lanCount }),
    space: () => context.space(),
  });
  const ports = new NodePorts(context);
  const app = await createApp(context);
  closing.push(() => app.close());
  await network.serve(settings.current.network, (request, response) => app.routing(request, response));
  await ports.apply(settings.current.network, plainHost(settings.current.network));

  await benches.apply(benchesWish(context));
  const unfollow = followEvents(context, store, ports, announceStatus);
  closing.push(
    () => network.close(),
    () => live.close(),
    () => livePins.close(),
    () => pins.close(),
    () => ports.close(),
    () => streams.close(),
    () => underway.close(),
    () => keys.close(),
    unfollow,
  );
  if (options.warm !== false) toolchain.warm();

  return {
    get url() {
      return network.listening.url;
    },
    port: network.listening.port,
    get lanUrls() {
      return network.listening.lanUrls;
    },
    get fingerprint() {
      return network.listening.tls?.fingerprint ?? null;
    },
    pool: nodes,
    events,
    settings,
    clients: () => ({ total: live.count, lan: live.lanCount }),
    close: closeAll,
  };
}
