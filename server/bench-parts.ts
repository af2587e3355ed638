import { createHash, randomBytes, randomUUID } from 'node:crypto';
import os from 'node:os';
import path from 'node:path';
import { type AuditRecord, AuditTrail } from './audit/trail.ts';
import type { BoardPool } from './boards/board.ts';
import type { Clock } from './clock.ts';
import { MAX_UPLOAD, type Settings } from './contract/bench/settings.ts';
import type { Finding } from './contract/boards/boards.ts';
import { parseAs } from './contract/check.ts';
import type { EventHub } from './events/events.ts';
import { ApiKeys } from './identity/keys.ts';
import { type IdentityRecord, isIdentityRecord } from './identity/records.ts';
import type { Logger } from './log.ts';
import { BenchSettings, type SettingsDocument } from './settings.ts';
import type { Store } from './store/index.ts';
import type { ForkTools } from './toolchain/engines/embedded/fork-tools.ts';
import type { BuildFarm } from './toolchain/farm/farm.ts';
import type { Toolchain } from './toolchain/toolchain.ts';
import { VERSION } from './version.ts';

/** What the parts are made from. */
export interface Foundation {
  store: Store;
  settings: BenchSettings;
  events: EventHub;
  logger: Logger;
  clock: Clock;
  /** Of this bench, for others; see openBenchId. */
  benchId: string;
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isKeyList = (value: unknown): value is IdentityRecord[] =>
  Array.isArray(value) && value.every(isIdentityRecord);

/** The records of keys.json that can be read, where the whole of it cannot: they are flat, so each stands alone. */
function salvageKeys(text: string): { value: IdentityRecord[]; lost: string } | null {
  const found = text.match(/\{[^{}]*\}/g) ?? [];
  const value = found.flatMap((part) => parseAs(part, isIdentityRecord) ?? []);
  if (value.length === 0) return null;
  const lost = Math.max(1, found.length - value.length);
  return { value, lost: lost === 1 ? 'one key' : `${lost} keys` };
}

/** The settings in force. What cannot be read is set aside, and enforcement is on then. */
export async function openSettings(
  store: Store,
  lanByOption: boolean,
  logger: Logger,
): Promise<BenchSettings> {
  const kept = await store.document<object>('settings', {}, isObject);
  const document: SettingsDocument = {
    read: () => kept.value,
    write: (value: Settings) => kept.write(value),
  };
  const settings = new BenchSettings(document, { lanByOption, damaged: kept.damaged });
  if (settings.refused.length > 0) {
    const fields = settings.refused.join(', ');
    await kept.setAside(`holds settings that are not valid (${fields}); their defaults are in force`);
  }
  if (settings.distrusted) logger.warn('enforcement is on: what was set of it cannot be read');
  return settings;
}

/** What the service itself did. */
export const ofService = (what: string): AuditRecord => ({
  action: 'service',
  owner: 'system',
  from: null,
  operator: false,
  fpga_id: null,
  job_id: null,
  done: true,
  code: null,
  request_id: null,
  details: { what, version: VERSION },
});

/** The audit trail, which goes on after its last entry. */
export async function openAudit({ store, settings, clock, logger }: Foundation): Promise<AuditTrail> {
  return await AuditTrail.open({
    files: store.files,
    folder: path.join(store.folder, 'audit'),
    clock,
    limits: () => settings.current.audit,
    onOutcome: store.healthOf('audit'),
    onDamage: (sentence) => logger.error(sentence),
  });
}

/** The keys that were handed out, and the invitations to fetch one. */
export async function openKeys(store: Store, settings: BenchSettings, clock: Clock): Promise<ApiKeys> {
  // Its generation before is not kept: it would bring a key back that was revoked.
  const kept = await store.document<IdentityRecord[]>('keys', [], isKeyList, {
    salvage: salvageKeys,
    generations: false,
  });
  return new ApiKeys({
    document: {
      read: () => kept.value,
      write: (records: IdentityRecord[]) => kept.write(records),
      writeSoon: (records: IdentityRecord[]) => kept.writeSoon(records),
    },
    clock,
    newId: randomUUID,
    newSecret: () => randomBytes(32),
    lifetimeDays: () => settings.current.auth.key_lifetime_days,
  });
}

/** Virtual boards, and real ones in the slots that they were given. */
export async function realBoards(
  { store, logger }: Foundation,
  slotBusy: (slot: number) => boolean,
): Promise<BoardPool> {
  const [{ loadCatalogue }, { createBoardPool }, { isAssignments }, { isLineRates }] = await Promise.all([
    import('./boards/catalogue/index.ts'),
    import('./boards/board-pool.ts'),
    import('./boards/assignments.ts'),
    import('./boards/line-rates.ts'),
  ]);
  const kept = await store.document('boards', {}, isAssignments);
  return createBoardPool({
    catalogue: await loadCatalogue(),
    assignments: kept,
    lineRates: await store.document('line-rates', {}, isLineRates),
    logger,
    slotBusy,
  });
}

const isSeed = (value: unknown): value is string =>
  typeof value === 'string' && /^([0-9a-f]{32})?$/.test(value);

/**
 * The id of a bench for others, 16 hex digits: the same after a restart, so that what was asked for is found again, and no
 * other's. A name and a folder alone are those of every computer that was set up in the same way, and a random number
 * alone is that of every copy of the folder.
 */
export async function openBenchId(store: Store): Promise<string> {
  const seed = await store.document('bench-id', '', isSeed);
  // Where it cannot be kept, the bench is the one of its computer and folder.
  if (seed.value === '') await seed.write(randomBytes(16).toString('hex')).catch(() => {});
  return createHash('sha256')
    .update(`${os.hostname()}\0${store.folder}\0${seed.value}`)
    .digest('hex')
    .slice(0, 16);
}

/** The queue of builds that other machines make; undefined where builds are made here. Only then is anything of it loaded. */
async function openFarm({
  settings,
  logger,
  clock,
  benchId: bench,
}: Foundation): Promise<BuildFarm | undefined> {
  const { queue } = settings.current.toolchain;
  if (queue === null) return undefined;
  const { BuildFarm } = await import('./toolchain/farm/farm.ts');
  const limits = () => {
    const { toolchain } = settings.current;
    const {
      queue_limit: waiting,
      queue_limit_per_owner: ofOwner,
      queue_running_per_owner: running,
    } = toolchain;
    return { waiting, ofOwner, running: running ?? 0 };
  };
  return BuildFarm.open({ address: queue, bench, logger, clock, limits });
}

/**
 * The embedded and the installed tools, or the queue of those who build in their place.
 * @param forkTools starts the process for the embedded tools, where Node's way to do it is not there
 */
export async function realToolchain(foundation: Foundation, forkTools?: ForkTools): Promise<Toolchain> {
  const { store, settings, logger } = foundation;
  const [{ createToolchain }, { toolsIn }] = await Promise.all([
    import('./toolchain/index.ts'),
    import('./toolchain/engines/installed/tools.ts'),
  ]);
  const farm = await openFarm(foundation);
  const { toolchain } = settings.current;
  const deadline = toolchain.stage_deadline_seconds;
  return createToolchain({
    dataDir: store.folder,
    logger,
    ...(farm && { farm }),
    ...(forkTools && { forkTools }),
    ...(toolchain.build_slots === null ? {} : { slots: toolchain.build_slots }),
    cacheLimitBytes: toolchain.cache_bytes,
    paths: toolchain.tool_folder === null ? {} : toolsIn(toolchain.tool_folder),
    memoryLimit: toolchain.memory_bytes,
    vhdlWithoutSandbox: () => settings.current.toolchain.vhdl_without_sandbox,
    // The API refuses what is over the limit of the moment; this is the most that the limit can be set to.
    sourceLimit: MAX_UPLOAD,
    deadlines: { synthesis: deadline, place: deadline, pack: deadline },
  });
}

/** What keeps boards and tools from working. */
export async function realDoctor({ store, settings, clock }: Foundation): Promise<Finding[]> {
  const [{ runDoctor }, { checkSandbox }, { neededByFamilies }] = await Promise.all([
    import('./boards/doctor/index.ts'),
    import('./toolchain/engines/sandbox/sandbox-check.ts'),
    import('./toolchain/engines/installed/tools.ts'),
  ]);
  const sandbox = checkSandbox(clock, settings.current.toolchain.vhdl_without_sandbox);
  const { queue } = settings.current.toolchain;
  const queues =
    queue === null ? [] : [(await import('./toolchain/farm/queue-check.ts')).checkQueue(queue, clock)];
  return [
    ...(await runDoctor({ dataDir: store.folder, families: neededByFamilies() })),
    await sandbox,
    ...(await Promise.all(queues)),
  ];
}
