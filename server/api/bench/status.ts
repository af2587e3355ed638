import type { BenchStatus, SharedStatus } from '../../contract/bench/bench.ts';
import { sentences } from '../../contract/sentences.ts';
import type { ApiContext } from '../context.ts';
import type { Caller } from '../edge/caller.ts';

/** The part of the status that is equal for all callers and cheap: events contain it. */
export function sharedStatus(context: ApiContext): SharedStatus {
  const { url, lanUrls } = context.listening();
  const { network, auth } = context.settings.current;
  const { busy, total, waiting } = context.toolchain.slots;
  return {
    version: context.version,
    address: url,
    lan: { enabled: network.lan, addresses: lanUrls, tls: context.listening().tls },
    enforcement: auth.enforcement,
    clients: context.live.count,
    store: context.storeHealthy(),
    disk: context.space().level,
    builds: { busy, total, waiting },
  };
}

/** GET /status for one caller. */
export async function benchStatus(context: ApiContext, caller: Caller): Promise<BenchStatus> {
  const { auth, limits, sessions } = context.settings.current;
  const engines = await context.toolchain.engines();
  const { bytes, jobsBytes, freeBytes } = context.space();
  return {
    ...sharedStatus(context),
    started_at: new Date(context.startedAt).toISOString(),
    identity_provider: auth.identity_provider.kind,
    caller: { owner: caller.owner, operator: caller.operator, key: caller.key !== null },
    data: {
      bytes,
      jobs_bytes: jobsBytes,
      free_bytes: freeBytes,
      folder: caller.operator ? context.dataFolder : null,
    },
    engines: engines.map((engine) => (caller.operator ? engine : { ...engine, path: null })),
    languages: (await context.toolchain.languages()).map(({ language, refusal }) => ({
      language,
      available: refusal === null,
      reason: refusal && sentences(refusal.message, refusal.remedy),
    })),
    limits: {
      upload_bytes: limits.upload_bytes,
      words_per_run: limits.words_per_run,
      session_ttl_seconds: sessions.ttl_seconds,
    },
  };
}
