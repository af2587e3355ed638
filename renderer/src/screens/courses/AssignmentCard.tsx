import { useState } from 'react';
import type { AssignmentView } from '../../../../server/contract/courses/assignments.ts';
import type { AnyJob } from '../../../../server/contract/jobs/jobs.ts';
import { ActButton } from '../../components/ActButton.tsx';
import { StatusBadge } from '../../components/Badge.tsx';
import { Select } from '../../components/Field.tsx';
import { Markdown } from '../../components/Markdown.tsx';
import { Ago, useNow } from '../../components/Time.tsx';
import { outcomeOf } from '../../format/job.ts';
import { formatInstant } from '../../format/time.ts';
import { useBench, useBenchStore, useNodes } from '../../state/client/context.tsx';
import { useHandIns } from '../../state/courses/courses.ts';
import { takeFiles } from '../../state/drafts/drafts.ts';
import { listAllJobs } from '../../state/jobs/jobs.ts';
import { pickNode } from '../../state/nodes/pick-node.ts';
import { navigateLater } from '../../state/page/router.ts';
import { text } from '../../text/text.ts';
import type { CourseProps } from './course-props.ts';
import { GradeBadge, GradeSteps } from './GradeSteps.tsx';

const t = text.courses.student;

const MINUTE_MS = 60_000;

/** The page picks the node. */
const ANY = 'any';

const isProject = (filename: string | undefined): boolean => filename?.endsWith('.zip') ?? false;

/** The newest build of a person that can be handed in. @param filename of the assignment; undefined for any */
export const newestBuild = (
  jobs: readonly AnyJob[],
  owner: string,
  filename: string | undefined,
): AnyJob | undefined =>
  jobs.find(
    (job) =>
      job.owner === owner &&
      job.type === 'build_and_program' &&
      job.status !== 'cancelled' &&
      (filename === undefined ||
        job.submit?.filename === filename ||
        // The bench names a project by its files.
        (isProject(filename) && isProject(job.submit?.filename))),
  );

/** An assignment for a student: its text, a start, the build to hand in, and the grade. */
export function AssignmentCard({ course, assignment, reload }: CourseProps & { assignment: AssignmentView }) {
  const client = useBench();
  const { service } = client;
  const { course_id, username } = course;
  const { assignment_id, title, deadline, attempts, template, open, best, of, handed_in: used } = assignment;
  const { data: handIns, reload: again } = useHandIns(course_id, assignment_id);
  const renew = () => {
    again();
    reload();
  };
  const now = useNow(deadline === null ? null : MINUTE_MS);
  const nodes = useNodes() ?? [];
  const jobs = useBenchStore((of) => of.jobs);
  const [chosen, setChosen] = useState(ANY);
  const build = newestBuild(listAllJobs(jobs), username, template?.filename);
  const newest = handIns?.[0];
  const handedIn = handIns?.some(({ job_id }) => job_id === build?.job_id) ?? false;
  const due = deadline === null ? null : Date.parse(deadline);
  const idle = nodes
    .filter(({ state, session }) => state === 'idle' || session?.owner === username)
    .map(({ fpga_id: id }) => ({ value: String(id), label: text.bench.node(id) }));

  const start = async () => {
    const go = navigateLater();
    const node =
      chosen === ANY ? pickNode(nodes, jobs.unplaced.values(), username, Math.random()) : Number(chosen);
    const { filename } = await service.startAssignment({ course_id, assignment_id });
    const contents = await service.getTemplate({ course_id, assignment_id });
    await takeFiles(client, node, [{ path: filename, file: new File([contents], filename) }], go);
  };
  const handIn = async (job_id: string) =>
    t.done(title, (await service.handIn({ course_id, assignment_id, body: { job_id } })).attempt);
  return (
    <article className="panel stack" aria-label={title}>
      <div className="row">
        <h3>{title}</h3>
        {newest && (
          <span className="push">
            <GradeBadge grade={newest.grade} />
          </span>
        )}
      </div>
      <p className="muted">
        {due === null ? (
          text.courses.assignment.noDeadline
        ) : (
          <time dateTime={new Date(due).toISOString()} title={formatInstant(due)}>
            {due > now ? t.timeLeft(due - now) : t.over}
          </time>
        )}
        {' · '}
        {[t.attempts(used, attempts), t.points(best, of)].join(' · ')}
      </p>
      <Markdown text={assignment.text} />
      {open && template && (
        <div className="row">
          <Select
            className="course-select"
            aria-label={t.nodeFor(title)}
            value={chosen}
            options={[{ value: ANY, label: t.anyNode }, ...idle]}
            onChange={(event) => setChosen(event.target.value)}
          />
          <ActButton
            kind={build ? 'plain' : 'primary'}
            icon="edit"
            aria-label={`${t.start}: ${title}`}
            run={start}
            onDone={renew}
          >
            {t.start}
          </ActButton>
          <span className="muted">{t.startHint(template.filename)}</span>
        </div>
      )}
      {open &&
        (build ? (
          <div className="row">
            <StatusBadge outcome={outcomeOf(build)} />
            <span>
              {build.submit?.filename} · <Ago at={build.created_at} />
            </span>
            <ActButton
              kind="primary"
              disabled={handedIn}
              aria-label={`${handedIn ? t.handedIn : t.handIn}: ${title}`}
              run={() => handIn(build.job_id)}
              onDone={renew}
            >
              {handedIn ? t.handedIn : t.handIn}
            </ActButton>
          </div>
        ) : (
          <p className="muted">{t.noBuild(template?.filename)}</p>
        ))}
      {newest && (
        <details>
          <summary>
            {text.courses.results.attempt(newest.attempt, formatInstant(Date.parse(newest.at)))}
          </summary>
          <GradeSteps grade={newest.grade} />
        </details>
      )}
    </article>
  );
}
