import type { Grade } from '../../../../server/contract/courses/assignments.ts';
import { Badge } from '../../components/Badge.tsx';
import { Icon } from '../../components/Icon.tsx';
import { text } from '../../text/text.ts';

const t = text.courses.grade;

/** Where a grade is, or its points. */
export function GradeBadge({ grade }: { grade: Grade }) {
  switch (grade.state) {
    case 'queued':
    case 'running':
      return (
        <Badge tone="busy" icon="building">
          {t[grade.state]}
        </Badge>
      );
    case 'failed':
      return (
        <Badge tone="error" icon="error">
          {t.failed}
        </Badge>
      );
    case 'graded':
      return (
        <Badge
          tone={grade.points === grade.of ? 'reserved' : 'warn'}
          icon={grade.points === grade.of ? 'complete' : 'warning'}
        >
          {t.points(grade.points, grade.of)}
        </Badge>
      );
  }
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
