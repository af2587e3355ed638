// The builds whose transactions a list has.
import { createStore } from 'zustand/vanilla';
import type { NodeView } from '../../../../server/contract/nodes/nodes.ts';
import type { BenchClient } from '../client/bench-client.ts';

/** A build that ran on a node, for the divider before its transactions. */
export interface RunBuild {
  /** When this page first saw it run, milliseconds since 1970; 0 for the first one. */
  at: number;
  /** File name of its design. */
  file: string;
  buildId: string;
}

/** Node → the builds that ran while this page listed its transactions, oldest first. */
export const runBuilds = createStore<Partial<Record<number, readonly RunBuild[]>>>(() => ({}));

/** What tells one run of a design from the next. */
interface Run {
  session: string;
  buildId: string;
  /** The job of the build; a hand-over changes only the session. */
  job: string | undefined;
}

/**
 * Follows the builds that run on the nodes of a client.
 * @param onNext called after another build has begun to run on a node
 */
export function followBuilds(client: BenchClient, onNext: (node: number) => void): void {
  if (followed.has(client)) return;
  followed.add(client);
  const runs = new Map<number, Run>();
  const look = ({ fpga_id: id, session, design, last_build }: NodeView) => {
    if (!session || !design) return;
    const run = { session: session.session_id, buildId: design.build_id, job: last_build?.job_id };
    const before = runs.get(id);
    if (before?.session === run.session && before.buildId === run.buildId) return;
    runs.set(id, run);
    const isHandOver = before?.buildId === run.buildId && before.job === run.job;
    if (before !== undefined && isHandOver) return;
    const { [id]: builds = [] } = runBuilds.getState();
    const at = before === undefined ? 0 : Date.now();
    runBuilds.setState({ [id]: [...builds, { at, file: design.filename, buildId: design.build_id }] });
    if (before !== undefined) onNext(id);
  };
  const all = ({ nodes }: { nodes?: readonly NodeView[] | undefined }) => nodes?.forEach(look);
  all(client.nodes.getState());
  client.nodes.subscribe(all);
}

const followed = new WeakSet<BenchClient>();
