import type { FastifyInstance } from 'fastify';
import type { SettingsResponse } from '../../contract/bench/bench.ts';
import { DEFAULT_SETTINGS, type Settings } from '../../contract/bench/settings.ts';
import { authError } from '../../errors/auth.ts';
import { streamBackup } from '../../store/backup.ts';
import type { ApiContext } from '../context.ts';
import type { Caller } from '../edge/caller.ts';
import { validationError } from '../edge/validation.ts';
import { serve } from '../serving/serve.ts';
import { buildsView } from './builds.ts';
import { makeReport } from './report.ts';
import { benchStatus } from './status.ts';

const SMALL_BODY = 256 * 1024;

/**
 * Requires the operator token for settings that run programs: a tool folder amounts to running one. A caller who counts
 * as operator only by being on this computer may not set it.
 */
function requireToken(context: ApiContext, caller: Caller): void {
  if (caller.operatorToken) return;
  throw authError('operator_only', {
    message: 'The folder of the installed tools can be set only with the operator token.',
    remedy:
      context.operatorToken === null
        ? 'Start the service with WISHBENCH_OPERATOR_TOKEN set, or change settings.json while it is stopped.'
        : 'Do it in the desktop application.',
  });
}

/** Sentences about keys for the operator. */
const keyNotices = ({ keys: { unstoredRevocations } }: ApiContext): string[] =>
  unstoredRevocations === 0
    ? []
    : [
        `The revocation of ${unstoredRevocations === 1 ? 'a key' : `${unstoredRevocations} keys`} is not on disk yet: a restart now would make ${unstoredRevocations === 1 ? 'it' : 'them'} valid again. The service keeps trying.`,
      ];

/** The routes of the bench as a whole: health, status, settings. */
export function benchRoutes(app: FastifyInstance, context: ApiContext): void {
  const { settings } = context;
  const small = { bodyBytes: () => SMALL_BODY };

  serve(app, 'getHealth', async ({ reply }) => {
    const store = await context.checkStore();
    if (!store) reply.code(503);
    return { status: store && context.space().level !== 'full' ? 'ok' : 'degraded', store };
  });

  serve(app, 'makeReport', async ({ caller, reply }) =>
    reply
      .type('application/zip')
      .header('content-disposition', 'attachment; filename="wishbench-report.zip"')
      .send(Buffer.from(await makeReport(context, caller))),
  );
  serve(app, 'makeBackup', async ({ reply }) => {
    const now = new Date(context.clock.now());
    return reply
      .type('application/gzip')
      .header('content-disposition', 'attachment; filename="wishbench-backup.tar.gz"')
      .send(await streamBackup(context.dataFolder, now));
  });
  serve(app, 'getAudit', ({ query }) => context.audit.page(query));
  serve(app, 'verifyAudit', () => context.audit.verify());

  serve(app, 'getMetrics', async ({ reply }) =>
    reply.type(context.metrics.contentType).send(await context.metrics.text()),
  );

  serve(app, 'listBuilds', ({ query }) => buildsView(context, query.limit ?? 100));
  serve(app, 'getStatus', ({ caller }) => benchStatus(context, caller));

  const diskNotices = (): string[] => {
    switch (context.space().level) {
      case 'ok':
        return [];
      case 'low':
        return [
          'The disk of the data directory has less than 10 % free: free space, or lower the number of stored jobs.',
        ];
      case 'full':
        return ['The disk of the data directory has less than 2 % free, so the bench accepts no new work.'];
    }
  };

  /** Opens the network as wanted; after a failure it is open as before. */
  const openNetwork = async (wanted: Settings['network'], before: Settings['network']) => {
    try {
      await context.openNetwork(wanted);
    } catch (error) {
      // It was open a moment ago; a failure here appears as a notice.
      await context.openNetwork(before).catch(() => {});
      throw error;
    }
  };

  const settingsView = (): SettingsResponse => ({
    settings: settings.shown,
    defaults: DEFAULT_SETTINGS,
    restart_required: settings.restartRequired,
    notices: [
      ...context.storeNotices,
      ...diskNotices(),
      ...settings.notices,
      ...context.networkProblems(),
      ...keyNotices(context),
    ],
  });

  serve(app, 'getSettings', settingsView);

  serve(
    app,
    'changeSettings',
    async ({ body: patch, caller }) => {
      const { tool_folder: toolFolder, vhdl_without_sandbox: unconfined } = patch.toolchain ?? {};
      // Running programs, and building without the sandbox, is not for every user of this computer.
      if (toolFolder !== undefined || unconfined === true) requireToken(context, caller);
      const problems = settings.problems(patch);
      if (problems.length > 0)
        throw validationError(
          problems.map(({ loc, msg }) => ({ loc: ['body', ...loc], msg, type: 'value_error' })),
        );
      const { network, auth } = settings.current;
      const wanted = { ...network, ...patch.network };
      const keep = async () => {
        if (patch.network !== undefined) await openNetwork(wanted, network);
        try {
          await settings.apply(patch);
        } catch (error) {
          if (patch.network !== undefined) await context.openNetwork(network);
          throw error;
        }
      };
      const opens = wanted.lan && !network.lan;
      const enforces = !auth.enforcement && (patch.auth?.enforcement === true || opens);
      if (enforces) await context.enforcement.begin(() => context.pool.renewSessionIds(), keep);
      else await keep();
      return settingsView();
    },
    small,
  );
}
