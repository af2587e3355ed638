import type { Job, SubmitOptions } from '../../../../server/contract/jobs/jobs.ts';
import type { NodeView } from '../../../../server/contract/nodes/nodes.ts';
import { text } from '../../text/text.ts';
import { showRefusal, submitDesign, waitForNode } from '../actions/actions.ts';
import type { BenchClient } from '../client/bench-client.ts';
import { filesOfBuild } from '../files/design-file.ts';
import type { navigate } from '../page/router.ts';
import { loadRecord } from '../registers/transactions.ts';
import { type Draft, drafts, type PickedFile, setDraft, takeFiles } from './drafts.ts';
import { storeDrafts } from './store-drafts.ts';
import { submitKind } from './submit-kind.ts';

const t = text.node;

/** What a submit does on the node in its current state. */
export type SubmitWay =
  | { kind: 'submit' }
  /** The own session has the node: its design runs until the new one is built. */
  | { kind: 'replace' }
  /** Another person has the node: the design waits in the queue. */
  | { kind: 'wait'; reason: string }
  | { kind: 'never'; reason: string };

export function submitWay(node: NodeView, owner: string): SubmitWay {
  const kind = submitKind(node, owner);
  switch (kind) {
    case 'submit':
    case 'replace':
      return { kind };
    case 'wait':
      return {
        kind,
        reason: node.session ? t.heldBy(node.session.owner) : t.notIdle(text.state[node.state]),
      };
    case 'never':
      if (!node.board.present) return { kind, reason: t.boardAbsent };
      return { kind, reason: node.resetting ? t.resetting : t.notIdle(text.state.error) };
  }
}

/** The progress of a submit, for the view that shows it. */
interface Progress {
  begin(): void;
  end(error?: unknown): void;
}

async function send(
  client: BenchClient,
  id: number,
  draft: Draft,
  way: 'submit' | 'replace' | 'wait',
  progress: Progress,
) {
  progress.begin();
  try {
    // The bench drops the record of a session when the next one begins: this page takes it before that.
    if (way === 'replace') await loadRecord(client, id).catch(() => {});
    if (way === 'wait') await waitForNode(client, id, draft.files, draft.options);
    else await submitDesign(client, id, draft.files, draft.options, { replace: way === 'replace' });
    // What was typed during the request is not submitted: it stays.
    if (drafts.getState()[id]?.files === draft.files) setDraft(id, undefined);
    progress.end();
  } catch (error) {
    progress.end(error);
  }
}

/** Submits a draft as the node allows. After the service has accepted it, the draft goes. */
export function submitDraft(client: BenchClient, node: NodeView, draft: Draft, progress: Progress): void {
  const way = submitWay(node, client.owner);
  if (way.kind !== 'never') void send(client, node.fpga_id, draft, way.kind, progress);
}

/** The options of the last build of a file with this name on a node: its next version keeps them. */
function optionsOf(client: BenchClient, id: number, filename: string): SubmitOptions {
  let newest: { created_at: string; options: SubmitOptions } | undefined;
  for (const { fpga_id, created_at, submit } of client.jobs.getState().byId.values())
    if (fpga_id === id && submit?.filename === filename && created_at > (newest?.created_at ?? ''))
      newest = { created_at, options: submit.options };
  const { allow_timing_failure: _said, ...options } = newest?.options ?? {};
  return options;
}

/**
 * Takes files dropped on a node. An idle node shows them as a draft; the holder's node replaces its design at once.
 * @param go `navigateLater()` from the drop, since reading a folder takes a while
 */
export async function dropOn(
  client: BenchClient,
  node: NodeView,
  picked: readonly PickedFile[],
  go: typeof navigate,
): Promise<void> {
  const id = node.fpga_id;
  storeDrafts(client);
  const before = drafts.getState()[id];
  await takeFiles(client, id, picked, go);
  const draft = drafts.getState()[id];
  if (draft === undefined || draft === before || submitWay(node, client.owner).kind !== 'replace') return;
  const known = { ...draft, options: optionsOf(client, id, draft.name) };
  setDraft(id, known);
  submitDraft(client, node, known, {
    begin: () => {},
    end: (error) => {
      if (error !== undefined) showRefusal(client, error);
    },
  });
}

/** Submits the sources of a build again, with its options, to its node. */
export async function submitAgain(client: BenchClient, job: Job): Promise<void> {
  const { fpga_id, submit } = job;
  if (!submit) return;
  const { allow_timing_failure: _said, ...options } = submit.options;
  try {
    const files = await filesOfBuild(client.service, job);
    await submitDesign(client, fpga_id, files, options);
  } catch (error) {
    showRefusal(client, error);
  }
}
