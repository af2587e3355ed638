import { randomBytes, randomUUID } from 'node:crypto';
import { createApp } from './api/app.ts';
import type { ApiContext } from './api/context.ts';
import { folderSize } from './api/data-size.ts';
import { isLoopback } from './api/edge/caller.ts';
import { ApiKeys, type KeyRecord } from './api/identity/keys.ts';
import { createIdentityExchange } from './api/identity/provider.ts';
import { Listener } from './api/listener.ts';
import { LiveClients } from './api/live.ts';
import { sharedStatus } from './api/status.ts';
import type { BoardPool } from './boards/board.ts';
import { type Clock, systemClock } from './clock.ts';
import type { Finding } from './contract/boards.ts';
import { LARGEST_UPLOAD, type Settings } from './contract/settings.ts';
import { apiError } from './errors/api.ts';
import { EventHub } from './events/events.ts';
import type { NodePool, PoolSettings } from './jobs/pool.ts';
import type { Logger } from './log.ts';
import { distPath, resourcePath } from './paths.ts';
import { BenchSettings, type SettingsDocument } from './settings.ts';
import { openStore, type Store } from './store/index.ts';
import type { Toolchain } from './toolchain/toolchain.ts';
import { VERSION } from './version.ts';

/** What the parts are made from. */
interface Foundation {
  store: Store;
  settings: BenchSettings;
  events: EventHub;
  logger: Logger;
  clock: Clock;
}

export interface BenchOptions {
  /** Where everything is kept; made when it is missing. */
  dataDir: string;
  /** Sentences about the data directory that the operator should read. */
  notices?: readonly string[];
  logger: Logger;
  /** Address to listen at; what the settings say when absent. */
  host?: string;
  /** Port to listen at, 0 for a free one; what the settings say when absent. */
  port?: number;
  /** Lets its bearer do what is the operator's. Without one, callers on this computer are operators. */
  operatorToken?: string;
  clock?: Clock;
  /** Load the tools when the service listens, so that the first build does not wait for it. */
  warm?: boolean;
  /** Parts in place of the real ones. */
  boards?: (foundation: Foundation, slotBusy: (slot: number) => boolean) => Promise<BoardPool>;
  toolchain?: (foundation: Foundation) => Promise<Toolchain>;
  doctor?: () => Promise<Finding[]>;
  guiFolder?: string;
}

/** A running bench. */
export interface Bench {
  /** As a caller on this computer writes it, e.g. `http://127.0.0.1:8000`. */
  readonly url: string;
  readonly port: number;
  /** As callers on the LAN write it; empty while it is not open. */
  readonly lanUrls: string[];
  readonly pool: NodePool;
  readonly events: EventHub;
  readonly settings: BenchSettings;
  /** Open event streams, and how many of them come from other computers. */
  clients(): { total: number; lan: number };
  close(): Promise<void>;
}

/** Milliseconds that answers under way have when the service ends. */
const GRACE_MS = 1_000;
/** A change of the status is announced this much later, together with the ones that follow it. */
const STATUS_DELAY_MS = 50;

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isList = (value: unknown): value is unknown[] => Array.isArray(value);

async function openSettings(store: Store, lanByOption: boolean, logger: Logger): Promise<BenchSettings> {
  const kept = await store.document<object>('settings', {}, isObject);
  const document: SettingsDocument = {
    read: () => kept.value,
    write: (value: Settings) => kept.write(value),
  };
  const settings = new BenchSettings(document, { lanByOption });
  if (settings.refused.length > 0)
    logger.warn(
      { settings: settings.refused },
      'settings that are not valid were replaced by their defaults',
    );
  return settings;
}

async function openKeys(store: Store, settings: BenchSettings, clock: Clock): Promise<ApiKeys> {
  const kept = await store.document<unknown[]>('keys', [], isList);
  return new ApiKeys({
    document: {
      read: () => kept.value,
      write: (records: KeyRecord[]) => kept.write(records),
      writeSoon: (records: KeyRecord[]) => kept.writeSoon(records),
    },
    clock,
    newId: randomUUID,
    newSecret: () => randomBytes(32),
    lifetimeDays: () => settings.current.auth.key_lifetime_days,
  });
}

async function realBoards(
  { store, logger }: Foundation,
  slotBusy: (slot: number) => boolean,
): Promise<BoardPool> {
  const [{ loadCatalogue }, { createBoardPool }, { isAssignments }] = await Promise.all([
    import('./boards/catalogue/index.ts'),
    import('./boards/board-pool.ts'),
    import('./boards/assignments.ts'),
  ]);
  const kept = await store.document('boards', {}, isAssignments);
  return createBoardPool({
    catalogue: await loadCatalogue(),
    assignments: kept,
    logger,
    slotBusy,
  });
}

async function realToolchain({ store, settings, logger }: Foundation): Promise<Toolchain> {
  const [{ createToolchain }, { toolsIn }] = await Promise.all([
    import('./toolchain/index.ts'),
    import('./toolchain/native/tools.ts'),
  ]);
  const { toolchain } = settings.current;
  const deadline = toolchain.stage_deadline_seconds;
  return createToolchain({
    dataDir: store.folder,
    logger,
    engine: toolchain.engine,
    ...(toolchain.build_slots === null ? {} : { slots: toolchain.build_slots }),
    cacheLimitBytes: toolchain.cache_bytes,
    paths: toolchain.tool_folder === null ? {} : toolsIn(toolchain.tool_folder),
    memoryLimit: toolchain.memory_bytes,
    // The API refuses what is over the limit of the moment; this is the most that the limit can be set to.
    sourceLimit: LARGEST_UPLOAD,
    deadlines: { synthesis: deadline, place: deadline, pack: deadline },
  });
}

async function realDoctor(dataDir: string): Promise<Finding[]> {
  const { runDoctor } = await import('./boards/doctor/index.ts');
  return runDoctor({ dataDir });
}

/** Runs that may wait for one node: more than a person means, few enough to be kept. */
const QUEUED_PER_NODE = 4096;

const poolSettings = ({ sessions, limits }: Settings): PoolSettings => ({
  sessionTtlSeconds: sessions.ttl_seconds,
  logBytes: limits.log_bytes,
  jobsPerNode: limits.jobs_per_node,
  queuedPerNode: QUEUED_PER_NODE,
});

/** Listens, and says in our words why that is not possible. */
async function listen(listener: Listener, host: string, port: number): Promise<void> {
  try {
    await listener.listen(host, port);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EADDRINUSE')
      throw apiError('port_in_use', {
        message: `Port ${port} of ${host} is in use by another program.`,
        cause: error,
      });
    throw apiError('address_not_usable', {
      message: `The service cannot listen at ${host}, port ${port} (${code ?? 'unknown address'}).`,
      cause: error,
    });
  }
}

/**
 * Puts a bench together and listens. What was opened before a failure is closed again.
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
  const store = await openStore(options.dataDir, { logger, clock });
  closing.push(() => store.close());
  const lanByOption = options.host !== undefined && options.host !== 'localhost' && !isLoopback(options.host);
  const settings = await openSettings(store, lanByOption, logger);
  const listener = new Listener(clock);
  closing.push(() => listener.close(GRACE_MS));
  const at = settings.current.network;
  const host = options.host ?? (at.lan ? '0.0.0.0' : '127.0.0.1');
  await listen(listener, host, options.port ?? at.port);
  const keys = await openKeys(store, settings, clock);
  const events = new EventHub((error) => logger.error({ err: error }, 'an event listener failed'));
  const foundation: Foundation = { store, settings, events, logger, clock };

  let pool: NodePool | undefined;
  const slotBusy = (slot: number) => pool !== undefined && pool.node(slot).state !== 'idle';
  const [boards, toolchain] = await Promise.all([
    (options.boards ?? realBoards)(foundation, slotBusy),
    (options.toolchain ?? realToolchain)(foundation),
  ]);
  closing.push(
    () => boards.close(),
    () => toolchain.close(),
  );
  const { createNodePool } = await import('./jobs/node-pool.ts');
  const nodes: NodePool = await createNodePool({
    store,
    boards,
    toolchain,
    events,
    clock,
    newId: randomUUID,
    logger,
    settings: poolSettings(settings.current),
  });
  pool = nodes;
  closing.push(() => nodes.close());

  let announced = false;
  const announceStatus = () => {
    if (announced) return;
    announced = true;
    clock.after(STATUS_DELAY_MS, () => {
      announced = false;
      events.publish({ type: 'status', status: sharedStatus(context) });
    });
  };
  const live = new LiveClients({
    clock,
    onCount: announceStatus,
    onDropped: () => logger.warn('an event stream was dropped: its client did not read'),
  });
  const context: ApiContext = {
    version: VERSION,
    pool: nodes,
    events,
    settings,
    boards,
    toolchain,
    keys,
    identity: createIdentityExchange(() => clock.now()),
    live,
    logger,
    clock,
    startedAt,
    operatorToken: options.operatorToken ?? null,
    listening: () => listener,
    async listenOnLan(lan) {
      try {
        await listener.listen(lan ? '0.0.0.0' : '127.0.0.1', listener.port);
      } catch (error) {
        throw apiError('address_unavailable', { cause: error });
      }
      if (!lan) clock.after(STATUS_DELAY_MS, () => listener.dropRemote());
    },
    checkStore: () => store.check(),
    storeHealthy: () => store.healthy,
    storeNotices: [...(options.notices ?? []), ...store.notices.map(({ message }) => message)],
    dataFolder: store.folder,
    dataBytes: folderSize(store.folder, () => clock.now()),
    doctor: options.doctor ?? (() => realDoctor(store.folder)),
    examplesFolder: resourcePath('examples'),
    guiFolder: options.guiFolder ?? distPath('renderer'),
  };
  const app = await createApp(context);
  closing.push(() => app.close());
  listener.serve((request, response) => app.routing(request, response));

  const unsubscribe = [
    events.subscribe((event) => live.publish(event)),
    // Builds come and go with their jobs; the status says how many slots they take.
    events.subscribe((event) => event.type === 'job' && announceStatus()),
    store.onHealth(announceStatus),
    keys.onRevoked((id) => live.end((client) => client.keyId === id)),
    settings.onChange((current, changed) => {
      nodes.configure(poolSettings(current));
      announceStatus();
      // Who is let in has changed: streams are opened again by those who still are.
      if (changed.some((field) => field === 'auth.enforcement' || field === 'network.lan'))
        live.end(() => true);
    }),
  ];
  closing.push(
    () => listener.close(GRACE_MS),
    () => live.close(),
    () => {
      for (const end of unsubscribe) end();
    },
  );
  if (options.warm !== false) toolchain.warm();

  return {
    get url() {
      return listener.url;
    },
    port: listener.port,
    get lanUrls() {
      return listener.lanUrls;
    },
    pool: nodes,
    events,
    settings,
    clients: () => ({ total: live.count, lan: live.lanCount }),
    close: closeAll,
  };
}
