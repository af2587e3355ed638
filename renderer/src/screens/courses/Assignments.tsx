import { useState } from 'react';
import type { AssignmentView } from '../../../../server/contract/courses/assignments.ts';
import { wallClock } from '../../../../server/contract/wall-clock.ts';
import { ActButton } from '../../components/ActButton.tsx';
import { Badge } from '../../components/Badge.tsx';
import { Button } from '../../components/Button.tsx';
import { EmptyState, Pending } from '../../components/Empty.tsx';
import { useBench } from '../../state/client/context.tsx';
import { useAssignments } from '../../state/courses/courses.ts';
import { text } from '../../text/text.ts';
import { AssignmentEditor } from './AssignmentEditor.tsx';
import type { CourseProps } from './course-props.ts';

const t = text.courses.assignment;

/** The assignments of a course, for a teacher. */
export function Assignments({ course }: CourseProps) {
  const { service } = useBench();
  const { course_id, time_zone } = course;
  const query = useAssignments(course_id);
  const { data: list, reload } = query;
  const [edited, setEdited] = useState<AssignmentView | 'new'>();
  const untilOf = ({ deadline }: AssignmentView) =>
    deadline
      ? t.until(wallClock(time_zone, Date.parse(deadline)).replace('T', ' '), time_zone)
      : t.noDeadline;
  if (edited)
    return (
      <AssignmentEditor
        course={course}
        reload={reload}
        assignment={edited === 'new' ? undefined : edited}
        onClose={() => setEdited(undefined)}
      />
    );
  if (!list) return <Pending query={query} />;
  const create = (
    <Button kind="primary" icon="plus" onClick={() => setEdited('new')}>
      {t.create}
    </Button>
  );
  if (list.length === 0) return <EmptyState icon="jobs" title={t.none} action={create} text={t.noneText} />;
  return (
    <>
      <div className="row">
        <p className="muted">{t.count(list.length)}</p>
        <span className="push">{create}</span>
      </div>
      <ul className="tiles">
        {list.map((one) => (
          <li key={one.assignment_id} className="panel stack">
            <div className="row">
              <h3>{one.title}</h3>
              {!one.published && (
                <Badge tone="warn" icon="eye">
                  {t.unpublished}
                </Badge>
              )}
            </div>
            <p className="muted">
              {[untilOf(one), t.handedIn(one.handed_in), t.steps(one.check.length, one.of)].join(' · ')}
            </p>
            <div className="row">
              <Button onClick={() => setEdited(one)} aria-label={`${t.edit}: ${one.title}`}>
                {t.edit}
              </Button>
              <ActButton
                kind="quiet"
                aria-label={`${t.remove}: ${one.title}`}
                question={{
                  title: t.removeTitle(one.title),
                  text: t.removeText(one.handed_in),
                  confirm: t.remove,
                }}
                run={() => service.deleteAssignment({ course_id, assignment_id: one.assignment_id })}
                onDone={reload}
              >
                {t.remove}
              </ActButton>
            </div>
          </li>
        ))}
      </ul>
    </>
  );
}
