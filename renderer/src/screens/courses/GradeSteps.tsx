import type { Grade } from '../../../../server/contract/courses/assignments.ts';
import { Badge, type Tone } from '../../components/Badge.tsx';
import { Icon, type IconName } from '../../components/Icon.tsx';
import { text } from '../../text/text.ts';

const t = text.courses.grade;

/** Of a grade on its way, of one that failed, and of all points or a part of them. */
const LOOKS: Record<Exclude<Grade['state'], 'graded'> | 'full' | 'part', { tone: Tone; icon: IconName }> = {
  queued: { tone: 'queued', icon: 'queued' },
  running: { tone: 'busy', icon: 'building' },
  failed: { tone: 'error', icon: 'error' },
  full: { tone: 'reserved', icon: 'complete' },
  part: { tone: 'warn', icon: 'warning' },
};

/** Where a grade is, or its points. */
export function GradeBadge({ grade: { state, points, of } }: { grade: Grade }) {
  const kind = state !== 'graded' ? state : points === of ? 'full' : 'part';
  return <Badge {...LOOKS[kind]}>{state === 'graded' ? t.points(points, of) : t[state]}</Badge>;
}

/** Every step of a grade with its points and what failed. */
export function GradeSteps({ grade }: { grade: Grade }) {
  return (
    <>
      {grade.error && <p className="text-bad">{grade.error.message}</p>}
      <ul className="course-steps">
        {grade.steps.map(({ title, points, of, ok, message }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: steps have no name of their own
          <li key={index}>
            <span className={ok ? 'text-good' : 'text-bad'}>
              <Icon name={ok ? 'complete' : 'close'} />
              <span className="sr-only">{ok ? t.passed : t.notPassed}</span>
            </span>
            <span>
              {title}
              {message !== null && <span className="course-message">{message}</span>}
            </span>
            <span className="num">{t.points(points, of)}</span>
          </li>
        ))}
      </ul>
    </>
  );
}
