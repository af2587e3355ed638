import type { DesktopBridge } from '../../../preload/bridge.ts';
import type { BenchClient } from '../state/client/bench-client.ts';
import { drafts, openDesktopFile, setDraft } from '../state/drafts/drafts.ts';
import { THEMES } from '../state/page/preferences.ts';
import { currentRoute, navigate } from '../state/page/router.ts';
import type { Overlay } from './overlay.ts';

/**
 * Runs the requests of the desktop application's menu, tray, notifications and deep links. Returns a function that
 * stops it.
 */
export function followDesktop(
  desktop: DesktopBridge,
  client: BenchClient,
  show: (overlay: Overlay) => void,
): () => void {
  const end = desktop.onCommand((command) => {
    switch (command.kind) {
      case 'open-node':
        navigate({ kind: 'node', node: command.fpga_id, tab: undefined, job: undefined });
        break;
      case 'open-job':
        navigate({ kind: 'job', job: command.job_id });
        break;
      case 'open-view':
        navigate({ kind: command.view });
        break;
      case 'submit-file': {
        const route = currentRoute();
        const idle = client.nodes.getState().nodes?.find(({ state }) => state === 'idle');
        const node = route.kind === 'node' ? route.node : idle?.fpga_id;
        if (node !== undefined) void openDesktopFile(client, node);
        break;
      }
      case 'command-palette':
        show('palette');
        break;
      case 'shortcuts':
        show('shortcuts');
        break;
    }
  });
  desktop.ready();
  // The application stores the theme, and colours the window before the page is there.
  void desktop.desktopSettings().then(({ theme }) => {
    if (THEMES.includes(theme)) client.preferences.setState({ theme });
  });
  // After a watch has submitted a draft, the draft goes.
  const endWatches = client.watchedFiles.store.subscribe(({ byNode }, before) => {
    for (const [node, watch] of Object.entries(byNode)) {
      const id = Number(node);
      const submitted = watch?.outcome.kind === 'submitted' && watch.outcome !== before.byNode[id]?.outcome;
      if (submitted && drafts.getState()[id]?.path === watch.path) setDraft(id, undefined);
    }
  });
  // For a watched file, the file on disk is the truth.
  const endSaves = desktop.onSavedFile(({ fpga_id: id, file: { name, path, contents } }) => {
    const draft = drafts.getState()[id];
    if (draft?.path === path) setDraft(id, { ...draft, files: [{ name, contents }], edited: false });
  });
  const endTheme = client.preferences.subscribe(({ theme }, before) => {
    if (theme !== before.theme) void desktop.changeDesktopSettings({ theme });
  });
  return () => {
    end();
    endWatches();
    endSaves();
    endTheme();
  };
}
