import type { FastifyInstance, FastifyReply } from 'fastify';
import type { AssignmentChange, CheckStep } from '../../contract/courses/assignments.ts';
import type { FieldProblem } from '../../contract/failures.ts';
import { SCRIPT_LIMITS } from '../../contract/jobs/scripts.ts';
import { scriptProblems } from '../../scripts/script-problems.ts';
import type { ApiContext } from '../context.ts';
import { type Caller, requireDesignOwner } from '../edge/caller.ts';
import { validationError } from '../edge/validation.ts';
import { attachment } from '../serving/attachment.ts';
import { serve } from '../serving/serve.ts';

/** Largest request with a text and a check, bytes. */
const ASSIGNMENT_BYTES = 1 << 20;

/** Why the check cannot run; empty where it can. */
function checkProblems(check: readonly CheckStep[]): FieldProblem[] {
  const problems = check.flatMap(({ steps }, at) => scriptProblems({ steps }, ['body', 'check', at]));
  const transactions = check.reduce((sum, { steps }) => sum + steps.length, 0);
  if (transactions > SCRIPT_LIMITS.steps)
    problems.push({
      loc: ['body', 'check'],
      msg: `all steps together have ${SCRIPT_LIMITS.steps} transactions at most, not ${transactions}`,
      type: 'too_long',
    });
  return problems;
}

/** The deadline in UTC. */
function deadlineOf({ deadline }: AssignmentChange): Pick<AssignmentChange, 'deadline'> {
  if (deadline === undefined || deadline === null) return deadline === null ? { deadline } : {};
  const at = Date.parse(deadline);
  if (Number.isNaN(at))
    throw validationError([{ loc: ['body', 'deadline'], msg: 'is no moment in time', type: 'value_error' }]);
  return { deadline: new Date(at).toISOString() };
}

/** Routes of assignments: what is to be done, hand-ins, grades and results. */
export function assignmentRoutes(app: FastifyInstance, context: ApiContext): void {
  const { assignments, clock } = context;
  const { handIns } = assignments;

  /** Checks what the schema cannot. @throws validation errors, not_design_owner, design_not_found. */
  const checked = <T extends AssignmentChange>(body: T, caller: Caller): T => {
    const problems = checkProblems(body.check ?? []);
    if (problems.length > 0) throw validationError(problems);
    if (body.template) requireDesignOwner(context, caller, body.template.design_id);
    return { ...body, ...deadlineOf(body) };
  };

  /** Sends a source, when there is memory for it. */
  async function sendFile(
    { filename, source }: { filename: string; source: Buffer },
    { caller, reply }: { caller: Caller; reply: FastifyReply },
  ): Promise<FastifyReply> {
    await context.outgoing.reserve(reply.raw, caller, source.byteLength);
    return reply
      .type('application/octet-stream')
      .header('content-disposition', attachment('attachment', filename))
      .send(source);
  }

  serve(app, 'listAssignments', ({ params, caller }) => assignments.list(params.course_id, caller));

  serve(
    app,
    'createAssignment',
    ({ params, body, caller }) => assignments.create(params.course_id, caller, checked(body, caller)),
    { bodyBytes: () => ASSIGNMENT_BYTES },
  );

  serve(
    app,
    'changeAssignment',
    ({ params: { course_id, assignment_id }, body, caller }) =>
      assignments.change(course_id, assignment_id, caller, checked(body, caller)),
    { bodyBytes: () => ASSIGNMENT_BYTES },
  );

  serve(app, 'deleteAssignment', async ({ params: { course_id, assignment_id }, caller, reply }) => {
    await assignments.remove(course_id, assignment_id, caller);
    return reply.send();
  });

  serve(app, 'getTemplate', async ({ params: { course_id, assignment_id }, ...asked }) =>
    sendFile(await assignments.template(course_id, assignment_id, asked.caller), asked),
  );

  serve(app, 'startAssignment', ({ params: { course_id, assignment_id }, caller }) =>
    assignments.start(course_id, assignment_id, caller),
  );

  serve(app, 'handIn', ({ params: { course_id, assignment_id }, body, caller }) =>
    handIns.handIn(course_id, assignment_id, caller, body.job_id, clock.now()),
  );

  serve(app, 'listHandIns', ({ params: { course_id, assignment_id }, caller }) =>
    handIns.list(course_id, assignment_id, caller),
  );

  serve(app, 'getHandInSource', async ({ params: { course_id, assignment_id, hand_in_id }, ...asked }) =>
    sendFile(await handIns.source(course_id, assignment_id, hand_in_id, asked.caller), asked),
  );

  serve(app, 'gradeHandIns', async ({ params: { course_id, assignment_id }, body, caller }) => ({
    queued: await handIns.gradeAgain(course_id, assignment_id, caller, body.hand_in_ids),
  }));

  serve(app, 'exportResults', ({ params: { course_id, assignment_id, format }, caller, reply }) => {
    const text = handIns.results(course_id, assignment_id, caller, format);
    return reply
      .type(format === 'csv' ? 'text/csv; charset=utf-8' : 'application/xml; charset=utf-8')
      .header('content-disposition', attachment('attachment', `${course_id}-results.${format}`))
      .send(text);
  });
}
