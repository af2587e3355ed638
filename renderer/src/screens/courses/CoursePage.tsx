import { Badge } from '../../components/Badge.tsx';
import { Pending } from '../../components/Empty.tsx';
import { Icon } from '../../components/Icon.tsx';
import { Tabs } from '../../components/Tabs.tsx';
import { useCourse } from '../../state/courses/courses.ts';
import { navigate } from '../../state/page/router.ts';
import { COURSE_TABS, type CourseTab, href } from '../../state/page/routes.ts';
import { text } from '../../text/text.ts';
import { Assignments } from './Assignments.tsx';
import { CourseSettings } from './CourseSettings.tsx';
import { CourseWall } from './CourseWall.tsx';
import type { CourseProps } from './course-props.ts';
import { Members } from './Members.tsx';
import { Results } from './Results.tsx';
import { StudentPage } from './StudentPage.tsx';

const t = text.courses;

const CONTENTS: Record<CourseTab, (props: CourseProps) => React.ReactNode> = {
  wall: CourseWall,
  members: Members,
  assignments: Assignments,
  results: Results,
  settings: CourseSettings,
};

/** A course: the tabs of a teacher, or the page of a student. */
export function CoursePage({ id, tab = 'wall' }: { id: string; tab?: CourseTab | undefined }) {
  const query = useCourse(id);
  const { data: course, reload } = query;
  if (!course) return <Pending query={query} />;
  const hands = course.members.filter(({ hand }) => hand).length;
  const Content = CONTENTS[tab];
  return (
    <section className="screen" aria-label={course.name}>
      <header className="screen-head">
        <a
          className="button button-quiet button-icon"
          href={href({ kind: 'courses', course: undefined, tab: undefined })}
          aria-label={t.all}
          title={t.all}
        >
          <Icon name="left" />
        </a>
        <h1>{course.name}</h1>
        {course.closed && (
          <Badge tone="idle" icon="stop">
            {t.closed}
          </Badge>
        )}
        {course.booked_now > 0 && (
          <Badge tone="reserved" icon="reserved">
            {t.booked(course.booked_now)}
          </Badge>
        )}
      </header>
      {course.role === 'student' ? (
        <div className="screen-body">
          <StudentPage course={course} reload={reload} />
        </div>
      ) : (
        <Tabs
          label={t.views}
          active={tab}
          tabs={COURSE_TABS.map((name) => ({
            id: name,
            label: t.tabs[name],
            ...(name === 'wall' && hands > 0 && { mark: t.hands(hands) }),
          }))}
          onSelect={(name) => navigate({ kind: 'courses', course: id, tab: name }, true)}
        >
          <div className="screen-body stack course-tab">
            <Content course={course} reload={reload} />
          </div>
        </Tabs>
      )}
    </section>
  );
}
