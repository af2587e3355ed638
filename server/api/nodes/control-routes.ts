import type { FastifyInstance } from 'fastify';
import { jobsError } from '../../errors/jobs.ts';
import { looksMinted } from '../../identity/records.ts';
import { withMarks } from '../../text.ts';
import type { ApiContext } from '../context.ts';
import { forCaller, isEnforced } from '../edge/caller.ts';
import { validationError } from '../edge/validation.ts';
import { serve } from '../serving/serve.ts';

/** A user's text as one printable line, with direction marks escaped. */
const oneLine = (text: string): string =>
  withMarks(text)
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, ' ')
    .trim();

/** A line that everyone will see. @throws validation_error when it contains a key. */
function lineOf(field: string, text: string): string {
  if (looksMinted(text))
    throw validationError([
      {
        loc: ['body', field],
        msg: 'contains an API key: revoke it if others may have read it',
        type: 'secret',
      },
    ]);
  return oneLine(text);
}

/** The new holder of a session. @throws validation_error where the name can't belong to a caller. */
function holderOf({ keys }: ApiContext, text: string, enforced: boolean): string {
  const name = lineOf('to', text);
  const refuse = (msg: string) => validationError([{ loc: ['body', 'to'], msg, type: 'value_error' }]);
  if (name !== text || name === '') throw refuse('must be a name on one line, as in the list of nodes');
  if (enforced && !keys.list().some(({ username }) => username === name))
    throw refuse('is not a user with a valid key');
  return name;
}

/** Routes of control requests, hand-over and activity. */
export function controlRoutes(app: FastifyInstance, context: ApiContext): void {
  const { pool } = context;

  serve(app, 'listActivity', ({ params, query: { limit = 20, after } }) =>
    pool.activity(params.fpga_id, limit, after),
  );

  serve(app, 'requestControl', async ({ params, body, caller }) => {
    const note = lineOf('note', body.note ?? '');
    return await pool.requestControl(params.fpga_id, { owner: caller.owner }, note === '' ? null : note);
  });

  serve(app, 'withdrawControlRequest', async ({ params, caller, reply }) => {
    await pool.withdrawControlRequest(params.fpga_id, { owner: caller.owner });
    return reply.send();
  });

  serve(app, 'declineControlRequest', async ({ params, body, caller, reply }) => {
    await pool.declineControlRequest(params.fpga_id, body.owner, { owner: caller.owner });
    return reply.send();
  });

  serve(app, 'extendSession', async ({ params: { fpga_id: fpgaId }, caller }) => {
    await pool.extendSession(fpgaId);
    const { session } = forCaller(context, caller, pool.node(fpgaId));
    if (session === null) throw jobsError('no_active_session');
    return session;
  });

  serve(app, 'handOverSession', async ({ params: { fpga_id: fpgaId }, body, caller }) => {
    if (pool.node(fpgaId).session === null) throw jobsError('no_active_session');
    const to = holderOf(context, body.to, isEnforced(context));
    await pool.handOver(fpgaId, to, { owner: caller.owner });
    // The previous holder does not get the id of the new session.
    const { session } = forCaller(context, caller, pool.node(fpgaId));
    if (session === null) throw jobsError('no_active_session');
    return session;
  });
}
