import { type ReactNode, useState } from 'react';
import type { CourseView } from '../../../../server/contract/courses/courses.ts';
import type { WallJob } from '../../../../server/contract/courses/wall.ts';
import { ActButton } from '../../components/ActButton.tsx';
import { Button } from '../../components/Button.tsx';
import { EmptyState, Pending } from '../../components/Empty.tsx';
import { TextField } from '../../components/Field.tsx';
import { Icon } from '../../components/Icon.tsx';
import { Meter } from '../../components/Progress.tsx';
import { TimeLeft } from '../../components/Time.tsx';
import { useAct } from '../../state/actions/use-act.ts';
import { useBench, useBenchStore, useNodes } from '../../state/client/context.tsx';
import { useAssignments } from '../../state/courses/courses.ts';
import { isRefusedCaller } from '../../state/page/explain.ts';
import { navigateLater } from '../../state/page/router.ts';
import { href } from '../../state/page/routes.ts';
import { text } from '../../text/text.ts';
import { AssignmentCard } from './AssignmentCard.tsx';
import type { CourseProps } from './course-props.ts';
import { saveMemberData } from './member-data.ts';

const t = text.courses.student;

/** The page of a student: my node and place in line, my share, my hand, my data, and the assignments. */
export function StudentPage({ course, reload }: CourseProps) {
  const query = useAssignments(course.course_id);
  const { data: list, reload: again } = query;
  return (
    <div className="stack">
      <div className="tiles">
        <Place owner={course.username} />
        <Share course={course} />
        <Hand course={course} reload={reload} />
        <OwnData course={course} />
      </div>
      <h2>{text.courses.tabs.assignments}</h2>
      {!list && <Pending query={query} />}
      {list?.length === 0 && (
        <EmptyState icon="jobs" title={text.courses.assignment.none} text={t.noAssignments} />
      )}
      {list?.map((assignment) => (
        <AssignmentCard
          key={assignment.assignment_id}
          course={course}
          assignment={assignment}
          reload={again}
        />
      ))}
    </div>
  );
}

function Panel({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="panel stack" aria-label={title}>
      <h2>{title}</h2>
      {children}
    </section>
  );
}

/** What the course stores of the student: a copy of it, and the end of it. */
function OwnData({ course: { course_id, username, name } }: { course: CourseView }) {
  const client = useBench();
  const { service } = client;
  const leave = async () => {
    const goOn = navigateLater();
    await service.removeMember({ course_id, username });
    // The bench revokes a key that the course made; a key from before it stays.
    if (client.identity.getState().signedIn)
      await service.getOwnKey().catch((error) => (isRefusedCaller(error) ? client.signOut() : undefined));
    goOn({ kind: 'courses', course: undefined, tab: undefined });
  };
  return (
    <Panel title={t.data}>
      <p className="muted">{t.dataText}</p>
      <div className="row">
        <ActButton icon="download" run={() => saveMemberData(service, course_id, username)}>
          {t.exportData}
        </ActButton>
        <ActButton question={{ title: t.leaveTitle(name), text: t.leaveText, confirm: t.leave }} run={leave}>
          {t.leave}
        </ActButton>
      </div>
    </Panel>
  );
}

/** The nodes that the student holds, and the jobs that wait for one. */
function Place({ owner }: { owner: string }) {
  const nodes = useNodes()?.filter(({ session }) => session?.owner === owner) ?? [];
  const { unplaced } = useBenchStore(({ jobs }) => jobs);
  const waiting = [...unplaced.values()].filter(
    (job): job is WallJob => job.owner === owner && job.status === 'queued',
  );
  return (
    <Panel title={t.place}>
      {nodes.map(({ fpga_id: node, design, session }) => (
        <p key={node}>
          <a href={href({ kind: 'node', node, tab: undefined, job: undefined })}>{text.bench.node(node)}</a>
          {design && ` · ${design.filename}`}
          {session && (
            <>
              {' · '}
              {t.left} <TimeLeft at={session.expires_at} />
            </>
          )}
        </p>
      ))}
      {waiting.map((job) => (
        <p key={job.job_id} role="status">
          <Icon name="queued" />{' '}
          {t.waiting(job.submit?.filename ?? '', job.place ?? null, job.expected_wait_s ?? null)}
        </p>
      ))}
      {nodes.length + waiting.length === 0 && <p className="muted">{t.noNode}</p>}
    </Panel>
  );
}

/** What is left of the student's share. */
function Share({ course }: { course: CourseView }) {
  const me = course.members.find(({ username }) => username === course.username);
  if (!me) return null;
  const shares = { ...course.shares, ...me.shares };
  const figures = (['day_minutes', 'sessions', 'queued_jobs'] as const).map(
    (name) => [name, Math.round(me.used[name]), shares[name]] as const,
  );
  return (
    <Panel title={t.share}>
      <ul className="stack">
        {figures.map(([name, used, limit]) => (
          <li key={name}>
            <p>{t.used[name](used, limit ?? null)}</p>
            {limit != null && (
              <Meter
                label={t.meters[name]}
                value={Math.min(used, limit)}
                max={limit}
                tone={used >= limit ? 'warn' : 'busy'}
              />
            )}
          </li>
        ))}
      </ul>
    </Panel>
  );
}

/** Calls the teacher. */
function Hand({ course, reload }: CourseProps) {
  const { service } = useBench();
  const { busy, submit } = useAct(reload);
  const [message, setMessage] = useState('');
  const { course_id, username } = course;
  const hand = course.members.find((member) => member.username === username)?.hand;
  const raise = submit(async () => {
    await service.raiseHand({ course_id, body: message.trim() === '' ? {} : { message: message.trim() } });
    setMessage('');
  });
  return (
    <Panel title={t.help}>
      {hand ? (
        <>
          <p role="status">
            <Icon name="hand" /> {t.raised} {hand.message}
          </p>
          <div>
            <ActButton run={() => service.lowerHand({ course_id, username })} onDone={reload}>
              {text.courses.wall.lower}
            </ActButton>
          </div>
        </>
      ) : (
        <form className="stack" onSubmit={raise}>
          <TextField
            label={t.question}
            maxLength={200}
            value={message}
            onChange={(event) => setMessage(event.target.value)}
          />
          <div>
            <Button icon="hand" type="submit" disabled={busy}>
              {t.raise}
            </Button>
          </div>
        </form>
      )}
    </Panel>
  );
}
