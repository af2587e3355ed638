import { lazy, Suspense, useState } from 'react';
import { Loading } from '../components/Empty.tsx';
import { Questions } from '../components/Questions.tsx';
import { Toasts } from '../components/Toasts.tsx';
import { Bench } from '../screens/bench/Bench.tsx';
import { useBench } from '../state/context.tsx';
import { text } from '../text/text.ts';
import './app.css';
import { type Shortcut, useShortcuts } from '../components/shortcuts.ts';
import { navigate, useRoute } from '../state/router.ts';
import { formatRoute, type Route } from '../state/routes.ts';
import { ConnectionBanner } from './ConnectionBanner.tsx';
import { useDesktop } from './desktop.ts';
import { ErrorBoundary } from './ErrorBoundary.tsx';
import { JobRedirect } from './JobRedirect.tsx';
import { later } from './later.tsx';
import { NotFound } from './NotFound.tsx';
import { useNotifications } from './notifications.ts';
import type { Overlay } from './overlay.ts';
import { Rail } from './Rail.tsx';
import { TopBar } from './TopBar.tsx';

const NodeScreen = lazy(() => import('../screens/node/NodeScreen.tsx'));
const JobsScreen = lazy(() => import('../screens/jobs/JobsScreen.tsx'));
const BoardsScreen = lazy(() => import('../screens/boards/BoardsScreen.tsx'));
const SettingsScreen = lazy(() => import('../screens/settings/SettingsScreen.tsx'));
// What a key opens is loaded after the first screen, and before anybody can have typed into it.
const CommandPalette = later(() => import('./CommandPalette.tsx'));
const ShortcutList = later(() => import('./ShortcutList.tsx'));
const WhoDialog = later(() => import('./WhoDialog.tsx'));

/** Puts the cursor into the search field of the view, if it has one. */
function focusSearch(): void {
  const field = document.querySelector<HTMLInputElement>('main [data-search]');
  field?.focus();
  field?.select();
}

const goTo = (route: Route) => () => navigate(route);

function shellShortcuts(show: (overlay: Overlay) => void): Shortcut[] {
  const t = text.shell;
  const go = t.shortcutGroups.go;
  return [
    { keys: 'g b', label: t.keyBench, group: go, run: goTo({ kind: 'bench' }) },
    { keys: 'g j', label: t.keyJobs, group: go, run: goTo({ kind: 'jobs' }) },
    { keys: 'g o', label: t.keyBoards, group: go, run: goTo({ kind: 'boards' }) },
    { keys: 'g s', label: t.keySettings, group: go, run: goTo({ kind: 'settings' }) },
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
    { keys: '?', label: t.keyList, group: t.shortcutGroups.general, run: () => show('shortcuts') },
  ];
}

function Screen({ route }: { route: Route }) {
  switch (route.kind) {
    case 'bench':
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
    case 'unknown':
      return <NotFound />;
  }
}

export function App() {
  const client = useBench();
  const route = useRoute();
  const [overlay, setOverlay] = useState<Overlay | undefined>();
  useShortcuts(shellShortcuts(setOverlay));
  useDesktop(client, setOverlay);
  useNotifications(client);
  const onBench = route.kind === 'bench' || route.kind === 'node';
  const close = () => setOverlay(undefined);
  return (
    <div className="app">
      <a
        className="skip"
        href={`#${formatRoute(route)}`}
        onClick={(event) => {
          event.preventDefault();
          document.querySelector<HTMLElement>('main')?.focus();
        }}
      >
        {text.shell.skip}
      </a>
      <TopBar onSearch={() => setOverlay('palette')} />
      <Rail route={route} onWho={() => setOverlay('who')} />
      <main className={`main main-${route.kind}`} tabIndex={-1}>
        <ConnectionBanner onWho={() => setOverlay('who')} />
        <div className="main-split">
          {onBench && <Bench selected={route.kind === 'node' ? route.node : undefined} />}
          {route.kind !== 'bench' && (
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
      <Questions />
      <Toasts />
      <Suspense fallback={null}>
        {overlay === 'palette' && <CommandPalette onClose={close} onOverlay={setOverlay} />}
        {overlay === 'shortcuts' && <ShortcutList onClose={close} />}
        {overlay === 'who' && <WhoDialog onClose={close} />}
      </Suspense>
    </div>
  );
}
