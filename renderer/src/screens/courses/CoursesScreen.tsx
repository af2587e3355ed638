import { useState } from 'react';
import { Badge } from '../../components/Badge.tsx';
import { Button } from '../../components/Button.tsx';
import { Dialog } from '../../components/Dialog.tsx';
import { EmptyState, Pending } from '../../components/Empty.tsx';
import { TextField } from '../../components/Field.tsx';
import { Form } from '../../components/Form.tsx';
import { useBench, useIsOperator } from '../../state/client/context.tsx';
import { useCourses } from '../../state/courses/courses.ts';
import { navigateLater } from '../../state/page/router.ts';
import { href, type Route } from '../../state/page/routes.ts';
import { text } from '../../text/text.ts';
import { CoursePage } from './CoursePage.tsx';
import './courses.css';

const t = text.courses;

type CoursesRoute = Extract<Route, { kind: 'courses' }>;
const routeOf = (course: string) => ({ kind: 'courses', course, tab: undefined }) as const;

/** The Courses screen: the courses of the caller, or one of them. */
export default function CoursesScreen({ course, tab }: Partial<Omit<CoursesRoute, 'kind'>>) {
  return course === undefined ? <CourseList /> : <CoursePage id={course} tab={tab} />;
}

function CourseList() {
  const query = useCourses();
  // Another bench has its own courses, and its own page for them.
  const courses = useBench().home ? [] : query.data;
  const [creating, setCreating] = useState(false);
  const operator = useIsOperator();
  return (
    <section className="screen" aria-label={t.title}>
      <header className="screen-head">
        <h1>{t.title}</h1>
        {operator && (
          <Button kind="primary" icon="plus" className="push" onClick={() => setCreating(true)}>
            {t.create}
          </Button>
        )}
      </header>
      <div className="screen-body">
        {!courses ? (
          <Pending query={query} />
        ) : courses.length === 0 ? (
          <EmptyState icon="courses" title={t.none} text={operator ? t.noneOperator : t.noneText} />
        ) : (
          <ul className="tiles">
            {courses.map(({ course_id: id, name, role, closed, members, assignments, hands }) => (
              <li key={id} className="panel">
                <h2>
                  <a href={href(routeOf(id))}>{name}</a>
                </h2>
                <p className="muted">{t.counts(members, assignments)}</p>
                <p className="row">
                  <span>{t.roles[role ?? 'operator']}</span>
                  {closed && (
                    <Badge tone="idle" icon="stop">
                      {t.closed}
                    </Badge>
                  )}
                  {hands > 0 && (
                    <Badge tone="warn" icon="hand">
                      {t.hands(hands)}
                    </Badge>
                  )}
                </p>
              </li>
            ))}
          </ul>
        )}
      </div>
      {creating && <CreateCourse onClose={() => setCreating(false)} />}
    </section>
  );
}

function CreateCourse({ onClose }: { onClose(): void }) {
  const { service } = useBench();
  const [name, setName] = useState('');
  const create = async () => {
    const goOn = navigateLater();
    const { course_id } = await service.createCourse({ body: { name: name.trim() } });
    onClose();
    goOn({ ...routeOf(course_id), tab: 'members' });
  };
  return (
    <Dialog title={t.create} onClose={onClose}>
      <Form run={create} action={t.create} disabled={name.trim() === ''}>
        <TextField
          label={t.name}
          hint={t.nameHint}
          value={name}
          maxLength={100}
          data-first-focus=""
          onChange={(event) => setName(event.target.value)}
        />
      </Form>
    </Dialog>
  );
}
