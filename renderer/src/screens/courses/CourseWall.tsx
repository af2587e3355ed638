import { useMemo } from 'react';
import { type WallEntry, type WallState, wallOf } from '../../../../server/contract/courses/wall.ts';
import { ActButton } from '../../components/ActButton.tsx';
import { Badge, type Tone } from '../../components/Badge.tsx';
import { EmptyState } from '../../components/Empty.tsx';
import { Icon, type IconName } from '../../components/Icon.tsx';
import { useNow } from '../../components/Time.tsx';
import { formatAgo } from '../../format/time.ts';
import { useBench, useBenchStore, useNodes } from '../../state/client/context.tsx';
import { listAllJobs } from '../../state/jobs/jobs.ts';
import { href } from '../../state/page/routes.ts';
import { text } from '../../text/text.ts';
import type { CourseProps } from './course-props.ts';

const t = text.courses.wall;

/** Milliseconds between two looks at the clock. */
const TICK_MS = 5_000;

const LOOKS: Record<WallState['kind'] | 'idle', { tone: Tone; icon: IconName }> = {
  stuck: { tone: 'error', icon: 'error' },
  waiting: { tone: 'queued', icon: 'queued' },
  building: { tone: 'busy', icon: 'building' },
  on: { tone: 'reserved', icon: 'reserved' },
  idle: { tone: 'warn', icon: 'pause' },
  away: { tone: 'idle', icon: 'idle' },
};

/** What a state says besides its badge. `now`: ms since 1970 */
function describe(state: WallState, now: number): string {
  const since = (at: number) => t.span(Math.max(0, (now - at) / 1000));
  switch (state.kind) {
    case 'stuck':
      return state.why === 'failed'
        ? t.failed(state.file, formatAgo(state.since, now))
        : t.slow(state.file, since(state.since));
    case 'waiting':
      return t.waiting(state.file, state.place, since(state.since), state.expectedWaitS);
    case 'building':
      return t.building(state.file, state.stage && text.stage[state.stage], since(state.since));
    case 'on':
      return [state.file, state.idleSince && t.idle(since(state.idleSince))].filter(Boolean).join(' · ');
    case 'away':
      return '';
  }
}

/** The wall of a teacher: what each student does now, raised hands first. */
export function CourseWall({ course, reload }: CourseProps) {
  const nodes = useNodes();
  const jobs = useBenchStore((client) => client.jobs);
  const now = useNow(TICK_MS);
  const entries = useMemo(
    () => wallOf(course.members, nodes ?? [], listAllJobs(jobs), now),
    [course.members, nodes, jobs, now],
  );
  const count = (kind: WallState['kind']) => entries.filter(({ state }) => state.kind === kind).length;
  if (entries.length === 0) return <EmptyState icon="courses" title={t.none} text={t.noneText} />;
  return (
    <>
      <p className="muted" role="status">
        {(['stuck', 'waiting', 'building', 'on', 'away'] as const)
          .map((kind) => `${count(kind)} ${t.states[kind]}`)
          .join(' · ')}
      </p>
      <ul className="tiles" aria-label={text.courses.tabs.wall}>
        {entries.map((entry) => (
          <Student key={entry.member.username} entry={entry} now={now} course={course} reload={reload} />
        ))}
      </ul>
    </>
  );
}

function Student({ entry, now, course, reload }: { entry: WallEntry; now: number } & CourseProps) {
  const { member, state } = entry;
  const { service } = useBench();
  const kind = state.kind === 'on' && state.idleSince !== null ? 'idle' : state.kind;
  const node = 'node' in state ? state.node : null;
  const { hand, username, name } = member;
  return (
    <li className={`panel stack course-desk ${hand ? 'course-desk-hand' : ''}`}>
      <div className="row">
        <h3>{name}</h3>
        <span className="push">
          <Badge {...LOOKS[kind]}>{t.states[kind]}</Badge>
        </span>
      </div>
      <p className="muted mono">{username}</p>
      <p>{describe(state, now)}</p>
      {node !== null && (
        <a
          href={href({ kind: 'node', node, tab: undefined, job: undefined })}
          aria-label={t.openNode(node, name)}
        >
          {text.bench.node(node)}
        </a>
      )}
      {hand && (
        <div className="row course-hand">
          <Icon name="hand" />
          <p>
            {t.hand(formatAgo(Date.parse(hand.at), now))} {hand.message}
          </p>
          <ActButton
            aria-label={t.lowerOf(name)}
            run={() => service.lowerHand({ course_id: course.course_id, username })}
            onDone={reload}
          >
            {t.lower}
          </ActButton>
        </div>
      )}
    </li>
  );
}
