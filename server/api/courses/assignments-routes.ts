import type { FastifyInstance, FastifyReply } from 'fastify';
import type { AssignmentChange } from '../../contract/courses/assignments.ts';
import type { FieldProblem } from '../../contract/failures.ts';
import { SCRIPT_LIMITS } from '../../contract/jobs/scripts.ts';
import type { NamedFile } from '../../courses/assignments/assignments.ts';
import type { AssignmentAccess } from '../../courses/assignments/records.ts';
import { scriptProblems } from '../../scripts/script-problems.ts';
import type { ApiContext } from '../context.ts';
import { type Caller, requireDesignOwner } from '../edge/caller.ts';
import { validationError } from '../edge/validation.ts';
import { sendFile } from '../serving/send-file.ts';
import { serve } from '../serving/serve.ts';

/** Largest request with a text and a check, bytes. */
const LARGE = { bodyBytes: () => 1 << 20 };

/** What a schema cannot say of an assignment. */
function problemsOf({ check = [], deadline }: AssignmentChange): FieldProblem[] {
  const problems = check.flatMap(({ steps }, at) => scriptProblems({ steps }, ['body', 'check', at]));
  const transactions = check.reduce((sum, { steps }) => sum + steps.length, 0);
  if (transactions > SCRIPT_LIMITS.steps)
    problems.push({
      loc: ['body', 'check'],
      msg: `all steps together may have at most ${SCRIPT_LIMITS.steps} transactions, not ${transactions}`,
      type: 'too_long',
    });
  if (deadline && Number.isNaN(Date.parse(deadline)))
    problems.push({ loc: ['body', 'deadline'], msg: 'is not a valid time', type: 'value_error' });
  return problems;
}

/** Routes of assignments: what is to be done, hand-ins, grades and results. */
export function assignmentRoutes(app: FastifyInstance, context: ApiContext): void {
  const { courses, assignments, handIns, clock } = context;

  interface Asked {
    params: { course_id: string; assignment_id: string };
    caller: Caller;
  }
  const member = ({ params, caller }: Asked): AssignmentAccess =>
    assignments.at(courses.access(params.course_id, caller), params.assignment_id);
  const teacher = ({ params, caller }: Asked): AssignmentAccess =>
    assignments.at(courses.teacher(params.course_id, caller), params.assignment_id);

  /** The request with its deadline in UTC. @throws validation errors, not_design_owner, design_not_found. */
  const checked = <T extends AssignmentChange>(body: T, caller: Caller): T => {
    const problems = problemsOf(body);
    if (problems.length > 0) throw validationError(problems);
    if (body.template) requireDesignOwner(context, caller, body.template.design_id);
    return body.deadline ? { ...body, deadline: new Date(body.deadline).toISOString() } : body;
  };

  /** Sends a source, when there is memory for it. */
  async function sendSource(file: NamedFile, caller: Caller, reply: FastifyReply): Promise<FastifyReply> {
    await context.outgoing.reserve(reply.raw, caller, file.source.byteLength);
    return sendFile(reply, { name: file.filename, type: 'application/octet-stream' }, file.source);
  }

  serve(app, 'listAssignments', ({ params, caller }) =>
    assignments.list(courses.access(params.course_id, caller)),
  );
  serve(
    app,
    'createAssignment',
    ({ params, body, caller }) =>
      assignments.create(courses.teacherInTerm(params.course_id, caller), checked(body, caller)),
    LARGE,
  );
  serve(
    app,
    'changeAssignment',
    ({ body, ...asked }) => assignments.change(teacher(asked), checked(body, asked.caller)),
    LARGE,
  );
  serve(app, 'deleteAssignment', async (asked) => {
    await assignments.remove([teacher(asked).assignment]);
  });

  serve(app, 'getTemplate', async ({ reply, ...asked }) =>
    sendSource(await assignments.template(member(asked).assignment), asked.caller, reply),
  );
  serve(app, 'startAssignment', (asked) => assignments.start(member(asked)));

  serve(app, 'handIn', ({ body, ...asked }) => handIns.handIn(member(asked), body.job_id, clock.now()));
  serve(app, 'listHandIns', ({ query, ...asked }) => handIns.list(member(asked), query));
  serve(app, 'getHandInSource', async ({ reply, ...asked }) =>
    sendSource(await handIns.source(member(asked), asked.params.hand_in_id), asked.caller, reply),
  );
  serve(app, 'gradeHandIns', async ({ body, ...asked }) => ({
    queued: await handIns.gradeAgain(teacher(asked), body.hand_in_ids),
  }));
  serve(app, 'exportResults', ({ reply, ...asked }) => {
    const { course_id, format } = asked.params;
    const type = format === 'csv' ? 'text/csv; charset=utf-8' : 'application/xml; charset=utf-8';
    const name = `${course_id}-results.${format}`;
    return sendFile(reply, { name, type }, handIns.results(member(asked), format));
  });
}
