import type { NodeView } from '../../../server/contract/nodes/nodes.ts';
import type { Route } from '../state/page/routes.ts';
import { text } from '../text/text.ts';

const NAMES: Partial<Record<Route['kind'], string>> = {
  bench: text.shell.bench,
  wall: text.bench.wall,
  jobs: text.shell.jobs,
  boards: text.shell.boards,
  settings: text.shell.settings,
  audit: text.shell.audit,
  courses: text.shell.courses,
  course: text.shell.courses,
  builds: text.shell.buildQueue,
  unknown: text.shell.notFound,
};

interface Titled {
  /** The open node. */
  node: NodeView | undefined;
  /** The design that is being built for it. */
  building: string | undefined;
  /** The other bench of the page. */
  bench: string | undefined;
  /** How many things wait for the person. */
  waiting: number;
}

/** The title of the tab: `(1) Node 3 · echo.v · reserved – Wishbench`. */
export function titleOf(route: Route, { node, building, bench, waiting }: Titled): string {
  const name =
    route.kind === 'node'
      ? [
          text.bench.node(route.node),
          node?.design?.filename ?? building,
          node && text.state[node.resetting ? 'resetting' : node.state],
        ]
          .filter(Boolean)
          .join(' · ')
      : NAMES[route.kind];
  const parts = [name, bench, text.product].filter(Boolean);
  return `${waiting > 0 ? `(${waiting}) ` : ''}${parts.join(' – ')}`;
}
