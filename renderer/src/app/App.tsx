// The frame of the page: top bar, rail, screens, overlays and the keys of the shell.
import { Suspense, useEffect, useState } from 'react';
import { IconButton } from '../components/Button.tsx';
import { Loading } from '../components/Empty.tsx';
import { isShown } from '../components/focus.ts';
import { lazyComponent, preloadLazyComponents } from '../components/lazy-component.tsx';
import { orLoadAnew } from '../components/missing-module.ts';
import { OpenDialog } from '../components/OpenDialog.tsx';
import { Toasts } from '../components/Toasts.tsx';
import { Bench } from '../screens/bench/Bench.tsx';
import type { BenchClient } from '../state/client/bench-client.ts';
import { useBench, useBenchStore } from '../state/client/context.tsx';
import { text } from '../text/text.ts';
import './app.css';
import { type Shortcut, useShortcuts } from '../components/shortcuts.ts';
import { currentRoute, followRoute, navigate, useRoute } from '../state/page/router.ts';
import { pageOf, type Route } from '../state/page/routes.ts';
import { showPage } from '../state/page/toasts.ts';
import { Bell } from './Bell.tsx';
import { CommandPalette } from './CommandPalette.tsx';
import { ConnectionBanner } from './ConnectionBanner.tsx';
import { copyLink } from './copy-link-later.ts';
import { DocumentTitle } from './DocumentTitle.tsx';
import { useDesktop } from './desktop.ts';
import { ErrorBoundary } from './ErrorBoundary.tsx';
import { NamePrompt } from './NamePrompt.tsx';
import type { Overlay } from './overlay.ts';
import { Rail } from './Rail.tsx';
import { TopBar } from './TopBar.tsx';

// Screens and overlays load after the first page, the most used first. The palette is part of the page: what you type
// right after its key is its text.
const NodeScreen = lazyComponent(() => import('../screens/node/NodeScreen.tsx'), { first: true });
const ShortcutList = lazyComponent(() => import('./ShortcutList.tsx'));
const JobsScreen = lazyComponent(() => import('../screens/jobs/JobsScreen.tsx'));
const BoardsScreen = lazyComponent(() => import('../screens/boards/BoardsScreen.tsx'));
const BuildsScreen = lazyComponent(() => import('../screens/builds/BuildsScreen.tsx'));
const SettingsScreen = lazyComponent(() => import('../screens/settings/SettingsScreen.tsx'));
const WhoDialog = lazyComponent(() => import('./WhoDialog.tsx'));
const AuditScreen = lazyComponent(() => import('../screens/audit/AuditScreen.tsx'));
const Wall = lazyComponent(() => import('../screens/bench/Wall.tsx'));
const JobRedirect = lazyComponent(() => import('./JobRedirect.tsx'));
const NotFound = lazyComponent(() => import('./NotFound.tsx'));
const CoursesScreen = lazyComponent(() => import('../screens/courses/CoursesScreen.tsx'));
const JoinCourse = lazyComponent(() => import('../screens/courses/JoinCourse.tsx'));
const JoinScreen = lazyComponent(() => import('../screens/join/JoinScreen.tsx'));

/** Makes notices of what changes, announces own jobs and keeps the focus; that loads behind the first page. */
function useFollowers(client: BenchClient): void {
  useEffect(() => {
    let ends: (() => void)[] | undefined = [];
    const loaded = orLoadAnew(() =>
      Promise.all([
        import('./notifications.ts'),
        import('../state/notices/watch.ts'),
        import('../components/keep-focus.ts'),
        // It has to work while the service is away, too.
        import('./copy-link.ts'),
      ]),
    );
    loaded.then(
      ([{ followNotifications }, { watchForNotices }, { keepFocus }]) =>
        ends?.push(followNotifications(client), watchForNotices(client), keepFocus()),
      () => {}, // The page was loaded again for it just now; the next load tries again.
    );
    return () => {
      for (const end of ends ?? []) end();
      ends = undefined;
    };
  }, [client]);
}

/** Focuses the search field of the shown view: the open node before the rack next to it. */
function focusSearch(): void {
  const field = [...document.querySelectorAll<HTMLInputElement>('main [data-search]')].findLast(isShown);
  field?.focus();
  field?.select();
}

const COURSES: Route = { kind: 'courses', course: undefined, tab: undefined };
const goTo = (route: Route) => () => navigate(route);

function shellShortcuts(client: BenchClient, show: (overlay: Overlay) => void): Shortcut[] {
  const t = text.shell;
  const go = t.shortcutGroups.go;
  return [
    { keys: 'g b', label: t.keyBench, group: go, run: goTo({ kind: 'bench' }) },
    { keys: 'g j', label: t.keyJobs, group: go, run: goTo({ kind: 'jobs' }) },
    { keys: 'g o', label: t.keyBoards, group: go, run: goTo({ kind: 'boards' }) },
    { keys: 'g s', label: t.keySettings, group: go, run: goTo({ kind: 'settings' }) },
    { keys: 'g u', label: t.keyBuilds, group: go, run: goTo({ kind: 'builds' }) },
    { keys: 'g c', label: t.courses, group: go, run: goTo(COURSES) },
    { keys: 'g a', label: t.keyAudit, group: go, run: goTo({ kind: 'audit' }) },
    ...Array.from({ length: 10 }, (_, id) => ({
      keys: String(id),
      label: t.keyNode(id),
      group: go,
      run: goTo({ kind: 'node', node: id, tab: undefined, job: undefined }),
    })),
    { keys: 'Escape', label: t.keyBack, group: go, run: goTo({ kind: 'bench' }) },
    { keys: '/', label: t.keySearch, group: t.shortcutGroups.general, run: focusSearch },
    {
      keys: 'mod+k',
      label: t.keyPalette,
      group: t.shortcutGroups.general,
      run: () => show('palette'),
      always: true,
    },
    { keys: 'g n', label: text.notices.key, group: go, run: () => show('notices') },
    {
      keys: 'y',
      label: t.copyLink,
      group: t.shortcutGroups.general,
      run: () => void copyLink(client),
    },
    { keys: '?', label: t.keyList, group: t.shortcutGroups.general, run: () => show('shortcuts') },
  ];
}

function Screen({ route }: { route: Route }) {
  switch (route.kind) {
    case 'bench':
    case 'wall':
      return null;
    case 'node':
      return <NodeScreen key={route.node} route={route} />;
    case 'job':
      return <JobRedirect jobId={route.job} />;
    case 'jobs':
      return <JobsScreen />;
    case 'boards':
      return <BoardsScreen />;
    case 'settings':
      return <SettingsScreen />;
    case 'audit':
      return <AuditScreen />;
    case 'builds':
      return <BuildsScreen />;
    case 'join':
      return <JoinScreen key={route.code} code={route.code} />;
    case 'courses':
      return <CoursesScreen key={route.course} course={route.course} tab={route.tab} />;
    case 'course':
      return <JoinCourse key={route.code} code={route.code} />;
    case 'unknown':
      return <NotFound />;
  }
}

export function App() {
  const client = useBench();
  const route = useRoute();
  const [overlay, setOverlay] = useState<Overlay | undefined>();
  useShortcuts(shellShortcuts(client, setOverlay));
  useDesktop(client, setOverlay);
  useFollowers(client);
  // A toast leaves with its page.
  useEffect(() => {
    const follow = () => showPage(client.toasts, pageOf(currentRoute()));
    follow();
    return followRoute(follow);
  }, [client]);
  // A page begins at its top, in a small window too, where the whole frame scrolls.
  const page = pageOf(route);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another page is the reason
  useEffect(() => {
    document.querySelector('.app')?.scrollTo(0, 0);
  }, [page]);
  const loaded = useBenchStore(
    ({ nodes }) => nodes,
    ({ nodes }) => nodes !== undefined,
  );
  const live = useBenchStore(
    ({ connection }) => connection,
    ({ connection }) => connection.kind === 'live',
  );
  useEffect(() => {
    preloadLazyComponents(loaded && live);
    return () => preloadLazyComponents(false);
  }, [loaded, live]);
  // Without a tab in the address, the state of the node decides how wide the rack is.
  const undecided = route.kind === 'node' && route.tab === undefined && !loaded;
  const onBench = route.kind === 'bench' || route.kind === 'node';
  const close = () => setOverlay(undefined);
  const overlays = (
    <>
      <DocumentTitle route={route} />
      <OpenDialog />
      <NamePrompt />
      <Toasts />
      <Suspense fallback={null}>
        {overlay === 'palette' && <CommandPalette onClose={close} onOverlay={setOverlay} />}
        {overlay === 'shortcuts' && <ShortcutList onClose={close} />}
        {overlay === 'who' && <WhoDialog onClose={close} />}
      </Suspense>
    </>
  );
  if (route.kind === 'wall')
    return (
      <div className="app app-wall">
        <main className="main" tabIndex={-1}>
          <ConnectionBanner onWho={() => setOverlay('who')} />
          <ErrorBoundary>
            <Suspense fallback={<Loading />}>
              <Wall />
            </Suspense>
          </ErrorBoundary>
        </main>
        {overlays}
      </div>
    );
  return (
    <div className="app">
      <TopBar
        route={route}
        onSearch={() => setOverlay('palette')}
        bell={
          <>
            <IconButton
              className="bar-link"
              icon="link"
              label={text.shell.copyLink}
              title={text.shell.copyLinkHint}
              onClick={() => void copyLink(client)}
            />
            <Bell open={overlay === 'notices'} onOpen={() => setOverlay('notices')} onClose={close} />
          </>
        }
      />
      <Rail route={route} onWho={() => setOverlay('who')} />
      <main className={`main main-${route.kind}`} tabIndex={-1}>
        {route.kind !== 'join' && route.kind !== 'course' && (
          <ConnectionBanner onWho={() => setOverlay('who')} />
        )}
        <div className="main-split">
          {undecided && <Loading />}
          {onBench && !undecided && (
            <ErrorBoundary>
              <Bench
                selected={route.kind === 'node' ? route.node : undefined}
                tab={route.kind === 'node' ? route.tab : undefined}
              />
            </ErrorBoundary>
          )}
          {route.kind !== 'bench' && !undecided && (
            <section className="main-detail">
              <ErrorBoundary key={route.kind === 'node' ? `node ${route.node}` : route.kind}>
                <Suspense fallback={<Loading />}>
                  <Screen route={route} />
                </Suspense>
              </ErrorBoundary>
            </section>
          )}
        </div>
      </main>
      {overlays}
    </div>
  );
}
