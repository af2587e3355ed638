import type { CourseSummary } from '../../../server/contract/courses/courses.ts';
import { Icon, type IconName } from '../components/Icon.tsx';
import { useBench, useBenchStore, useIsOperator, usePreference } from '../state/client/context.tsx';
import { useCourses } from '../state/courses/courses.ts';
import { useHandNotices } from '../state/notices/hands.ts';
import { href, type Route } from '../state/page/routes.ts';
import { text } from '../text/text.ts';

const PLACES: readonly { route: Route; icon: IconName; label: string }[] = [
  { route: { kind: 'bench' }, icon: 'bench', label: text.shell.bench },
  { route: { kind: 'jobs' }, icon: 'jobs', label: text.shell.jobs },
  { route: { kind: 'boards' }, icon: 'boards', label: text.shell.boards },
  { route: { kind: 'settings' }, icon: 'settings', label: text.shell.settings },
];

const COURSES: (typeof PLACES)[number] = {
  route: { kind: 'courses', course: undefined, tab: undefined },
  icon: 'courses',
  label: text.shell.courses,
};

/** Only the operator sees these screens. */
const OPERATOR_PLACES: typeof PLACES = [{ route: { kind: 'audit' }, icon: 'audit', label: text.shell.audit }];

const NO_COURSES: readonly CourseSummary[] = [];

/** The navigation: the screens, and the name of the caller. */
export function Rail({ route, onWho }: { route: Route; onWho(): void }) {
  const client = useBench();
  usePreference('name');
  useBenchStore(
    ({ identity }) => identity,
    ({ signedIn }) => signedIn,
  );
  const operator = useIsOperator();
  const courses = useCourses().data ?? NO_COURSES;
  useHandNotices(courses);
  const places = [
    ...PLACES,
    ...(operator || courses.length > 0 ? [COURSES] : []),
    ...(operator ? OPERATOR_PLACES : []),
  ];
  const at = route.kind === 'node' || route.kind === 'job' ? 'bench' : route.kind;
  return (
    <nav className="rail" aria-label={text.shell.navigation}>
      <ul>
        {places.map(({ route: to, icon, label }) => (
          <li key={label}>
            <a
              className="rail-link"
              href={href(to)}
              aria-current={to.kind === at ? 'page' : undefined}
              title={label}
            >
              <Icon name={icon} />
              <span className="rail-label">{label}</span>
            </a>
          </li>
        ))}
      </ul>
      <button
        type="button"
        className="rail-link rail-who"
        onClick={onWho}
        aria-label={text.shell.whoButton(client.owner)}
        title={text.shell.whoButton(client.owner)}
      >
        <Icon name="user" />
        <span className="rail-label rail-name">{client.owner}</span>
      </button>
    </nav>
  );
}
