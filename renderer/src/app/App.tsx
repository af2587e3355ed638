import { lazy, Suspense, useState } from 'react';
import { Bench } from '../screens/bench/Bench.tsx';
import { Loading } from '../components/Empty.tsx';
import { Questions } from '../components/Questions.tsx';
import { Toasts } from '../components/Toasts.tsx';
import { useBench } from '../state/context.tsx';
import { text } from '../text/text.ts';
import './app.css';
import { CommandPalette } from './CommandPalette.tsx';
import { ConnectionBanner } from './ConnectionBanner.tsx';
import { useDesktop } from './desktop.ts';
import { ErrorBoundary } from './ErrorBoundary.tsx';
import { JobRedirect } from './JobRedirect.tsx';
import { NotFound } from './NotFound.tsx';
import { useNotifications } from './notifications.ts';
import { Rail } from './Rail.tsx';
import { navigate, useRoute } from '../state/router.ts';
import { formatRoute, type Route } from '../state/routes.ts';
import { ShortcutList } from './ShortcutList.tsx';
import { type Shortcut, useShortcuts } from '../components/shortcuts.ts';
import { TopBar } from './TopBar.tsx';
import { WhoDialog } from './WhoDialog.tsx';

const NodeScreen = lazy(() => import('../screens/node/NodeScreen.tsx'));
const JobsScreen = lazy(() => import('../screens/jobs/JobsScreen.tsx'));
const BoardsScreen = lazy(() => import('../screens/boards/BoardsScreen.tsx'));
const SettingsScreen = lazy(() => import('../screens/settings/SettingsScreen.tsx'));

export type Overlay = 'palette' | 'shortcuts' | 'who';

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
    { keys: 'g b', label: t.keyBench, group: go, run: goTo({ screen: 'bench' }) },
    { keys: 'g j', label: t.keyJobs, group: go, run: goTo({ screen: 'jobs' }) },
    { keys: 'g o', label: t.keyBoards, group: go, run: goTo({ screen: 'boards' }) },
    { keys: 'g s', label: t.keySettings, group: go, run: goTo({ screen: 'settings' }) },
    ...Array.from({ length: 10 }, (_, id) => ({
      keys: String(id),
      label: t.keyNode(id),
      group: go,
      run: goTo({ screen: 'node', node: id, tab: undefined, job: undefined }),
    })),
    { keys: 'Escape', label: t.keyBack, group: go, run: goTo({ screen: 'bench' }) },
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
  switch (route.screen) {
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
  const onBench = route.screen === 'bench' || route.screen === 'node';
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
      <main className={`main main-${route.screen}`} tabIndex={-1}>
        <ConnectionBanner onWho={() => setOverlay('who')} />
        <div className="main-split">
          {onBench && <Bench selected={route.screen === 'node' ? route.node : undefined} />}
          {route.screen !== 'bench' && (
            <section className="main-detail">
              <ErrorBoundary key={route.screen === 'node' ? `node ${route.node}` : route.screen}>
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
      {overlay === 'palette' && <CommandPalette onClose={close} onOverlay={setOverlay} />}
      {overlay === 'shortcuts' && <ShortcutList onClose={close} />}
      {overlay === 'who' && <WhoDialog onClose={close} />}
    </div>
  );
}
