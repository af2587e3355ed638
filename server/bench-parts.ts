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

/** The basis of the other parts. */
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

/** The readable records of a damaged keys.json: they are flat, so each stands by itself. */
function salvageKeys(text: string): { value: IdentityRecord[]; lost: string } | null {
  const found = text.match(/\{[^{}]*\}/g) ?? [];
  const value = found.flatMap((part) => parseAs(part, isIdentityRecord) ?? []);
  if (value.length === 0) return null;
  const lost = Math.max(1, found.length - value.length);
  return { value, lost: lost === 1 ? 'one key' : `${lost} keys` };
}

/** The settings in force. Unreadable ones are set aside, and enforcement is then on. */
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
    await kept.setAside(`has invalid settings (${fields}); their defaults apply`);
  }
  if (settings.distrusted) logger.warn('enforcement is on: its stored setting cannot be read');
  return settings;
}

/** An audit record of the service itself. */
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

/** The audit trail, continued after its last entry. */
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

/** The issued keys, and open invitations. */
export async function openKeys(store: Store, settings: BenchSettings, clock: Clock): Promise<ApiKeys> {
  // Without a previous generation, which could bring back a revoked key.
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

/** Virtual boards, and real ones in their assigned slots. */
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
 * The id of a bench for others, 16 hex digits. It survives a restart and is unique. Computers with the same set-up
 * share a host name and a folder, and copies of a folder share a random number; together they differ.
 */
export async function openBenchId(store: Store): Promise<string> {
  const seed = await store.document('bench-id', '', isSeed);
  // If it can't be stored, computer and folder identify the bench.
  if (seed.value === '') await seed.write(randomBytes(16).toString('hex')).catch(() => {});
  return createHash('sha256')
    .update(`${os.hostname()}\0${store.folder}\0${seed.value}`)
    .digest('hex')
    .slice(0, 16);
}

/** The farm's queue of builds; undefined where builds are made here. Its code is loaded only when it is used. */
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
 * The embedded and the installed tools, or the farm.
 * @param forkTools starts the process for the embedded tools, where Node's own way is not available
 */
export async function realToolchain(foundation: Foundation, forkTools?: ForkTools): Promise<Toolchain> {
  const { store, settings, logger } = foundation;
  const [{ createToolchain }, { toolsIn }] = await Promise.all([
    import('./toolchain/index.ts'),
    import('./toolchain/engines/installed/tools.ts'),
  ]);
  const farm = await openFarm(foundation);
  const { toolchain } = settings.current;
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
    // The API enforces the present limit; this is the maximum of the setting.
    sourceLimit: MAX_UPLOAD,
    stageDeadline: toolchain.stage_deadline_seconds,
  });
}

/** The doctor's findings on boards, tools and the data directory. */
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
