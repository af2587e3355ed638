import type { IconName } from '../components/Icon.tsx';
import { activeShortcuts } from '../components/shortcuts.ts';
import { baseName } from '../components/WatchBadge.tsx';
import { isBuilding } from '../format/job.ts';
import { NUMBER_FORMATS } from '../format/words.ts';
import { cancelJob, releaseNode, resetNode, stopBuild } from '../state/actions/actions.ts';
import type { BenchClient } from '../state/client/bench-client.ts';
import { THEMES } from '../state/page/preferences.ts';
import { navigate } from '../state/page/router.ts';
import type { Route } from '../state/page/routes.ts';
import { text } from '../text/text.ts';
import { copyLink } from './copy-link-later.ts';
import type { Overlay } from './overlay.ts';

export interface Command {
  id: string;
  group: string;
  label: string;
  /** More words that find it. */
  words?: string | undefined;
  icon: IconName;
  keys?: string;
  run(): void;
}

const t = text.shell;

/** The commands that are possible now on this route. */
export function commandsFor(client: BenchClient, route: Route, show: (overlay: Overlay) => void): Command[] {
  const { nodes = [] } = client.nodes.getState();
  const go = (to: Route) => () => navigate(to);
  const groups = t.paletteGroups;
  const commands: Command[] = [];

  const node = route.kind === 'node' ? nodes[route.node] : undefined;
  if (node) {
    const id = node.fpga_id;
    const of = text.bench.node(id);
    for (const { keys, command } of activeShortcuts())
      if (command) commands.push({ id: command.label, group: groups.node, keys, ...command });
    if (node.session && !node.resetting)
      commands.push({
        id: 'release',
        group: groups.node,
        label: `${text.nodeActions.release} · ${of}`,
        icon: 'idle',
        run: () => releaseNode(client, node),
      });
    if ((node.state === 'reserved' || node.state === 'error') && !node.resetting)
      commands.push({
        id: 'reset',
        group: groups.node,
        label: `${text.nodeActions.reset} · ${of}`,
        icon: 'power',
        run: () => resetNode(client, node),
      });
    const watch = client.watchedFiles.store.getState().byNode[id];
    if (watch)
      commands.push({
        id: 'unwatch',
        group: groups.node,
        label: `${text.watching.stopOf(baseName(watch.path))} · ${of}`,
        icon: 'eye',
        run: () => void client.watchedFiles.unwatch(id),
      });
    const current = node.current_job_id ? client.jobs.getState().byId.get(node.current_job_id) : undefined;
    if (current?.status === 'queued')
      commands.push({
        id: 'cancel',
        group: groups.node,
        label: `${text.nodeActions.cancelJob} · ${of}`,
        icon: 'cancelled',
        run: () => cancelJob(client, current),
      });
    if (current && isBuilding(current))
      commands.push({
        id: 'stop',
        group: groups.node,
        label: `${text.nodeActions.stopBuild} · ${of}`,
        icon: 'cancelled',
        run: () => stopBuild(client, current),
      });
  }

  commands.push(
    {
      id: 'bench',
      group: groups.go,
      label: t.bench,
      icon: 'bench',
      keys: 'g b',
      run: go({ kind: 'bench' }),
    },
    {
      id: 'wall',
      group: groups.view,
      label: text.bench.toWall,
      words: 'wall full screen lab',
      icon: 'wall',
      keys: 'f',
      run: go({ kind: 'wall' }),
    },
    {
      id: 'builds',
      group: groups.go,
      label: t.buildQueue,
      words: 'workers queue farm',
      icon: 'queued',
      keys: 'g u',
      run: go({ kind: 'builds' }),
    },
    { id: 'audit', group: groups.go, label: t.audit, icon: 'audit', keys: 'g a', run: go({ kind: 'audit' }) },
    {
      id: 'courses',
      group: groups.go,
      label: t.courses,
      words: 'class students assignments teacher',
      icon: 'courses',
      keys: 'g c',
      run: go({ kind: 'courses', course: undefined, tab: undefined }),
    },
    { id: 'jobs', group: groups.go, label: t.jobs, icon: 'jobs', keys: 'g j', run: go({ kind: 'jobs' }) },
    {
      id: 'boards',
      group: groups.go,
      label: t.boards,
      words: 'doctor usb',
      icon: 'boards',
      keys: 'g o',
      run: go({ kind: 'boards' }),
    },
    {
      id: 'settings',
      group: groups.go,
      label: t.settings,
      words: 'lan port theme limits',
      icon: 'settings',
      keys: 'g s',
      run: go({ kind: 'settings' }),
    },
  );
  for (const { fpga_id: id, state, session, board, design } of nodes)
    commands.push({
      id: `node ${id}`,
      group: groups.go,
      label: `${text.bench.node(id)} · ${text.state[state]}${session ? ` · ${session.owner}` : ''}${design ? ` · ${design.filename}` : ''}`,
      words: board.name,
      icon: 'bench',
      keys: String(id),
      run: go({ kind: 'node', node: id, tab: undefined, job: undefined }),
    });

  for (const theme of THEMES)
    commands.push({
      id: `theme ${theme}`,
      group: groups.view,
      label: t.theme[theme],
      words: 'dark mode',
      icon: 'settings',
      run: () => client.preferences.setState({ theme }),
    });
  for (const numberFormat of NUMBER_FORMATS)
    commands.push({
      id: `format ${numberFormat}`,
      group: groups.view,
      label: t.formats[numberFormat],
      icon: 'settings',
      run: () => client.preferences.setState({ numberFormat }),
    });
  commands.push(
    {
      id: 'copy-link',
      group: groups.view,
      label: t.copyLink,
      words: 'share address url colleague',
      icon: 'link',
      keys: 'y',
      run: () => void copyLink(client),
    },
    {
      id: 'shortcuts',
      group: groups.view,
      label: t.shortcuts,
      icon: 'keyboard',
      keys: '?',
      run: () => show('shortcuts'),
    },
    {
      id: 'who',
      group: groups.view,
      label: t.who,
      words: 'name sign in owner',
      icon: 'user',
      run: () => show('who'),
    },
    {
      id: 'docs',
      group: groups.view,
      label: t.apiReference,
      words: 'docs openapi curl',
      icon: 'external',
      run: () => void openDocs(client),
    },
  );
  const { desktop } = client;
  if (desktop)
    commands.push(
      {
        id: 'show-logs',
        group: groups.desktop,
        label: t.showLogs,
        icon: 'file',
        run: () => void desktop.showLogs(),
      },
      {
        id: 'report-system',
        group: groups.desktop,
        label: t.systemReport,
        icon: 'download',
        run: () => void desktop.systemReport(true),
      },
    );
  return commands;
}

/** Opens the service's REST reference in a browser tab. */
function openDocs(client: BenchClient): void {
  const url = new URL('docs', window.location.href).href;
  if (client.desktop) void client.desktop.openExternal(url);
  else window.open(url, '_blank', 'noopener');
}

/** Ranks a command for a query: every word must match, and the start of the label counts most. 0 for no match. */
export function score(command: Command, query: string): number {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const label = command.label.toLowerCase();
  const all = `${label} ${command.words ?? ''} ${command.group}`.toLowerCase();
  let total = 1;
  for (const word of words) {
    const at = all.indexOf(word);
    if (at === -1) return 0;
    total += at === 0 ? 8 : /\W/.test(all[at - 1] ?? '') ? 4 : 1;
    if (label.includes(word)) total += 2;
  }
  return total;
}
