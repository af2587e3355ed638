// Several drafts of a node: one is shown, the others stay open.
import { text } from '../../text/text.ts';
import type { BenchClient } from '../client/bench-client.ts';
import { offerUndo } from '../page/toasts.ts';
import { type Draft, drafts, otherDrafts, setDraft } from './draft-store.ts';

const othersOf = (id: number): readonly Draft[] => otherDrafts.getState()[id] ?? [];

function setOthers(id: number, others: readonly Draft[]): void {
  otherDrafts.setState({ [id]: others.length === 0 ? undefined : others });
}

/** Shows another open draft, or the build of the node; the shown draft stays open. */
export function showDraft(id: number, draft: Draft | undefined): void {
  const shown = drafts.getState()[id];
  if (shown === draft) return;
  const others = othersOf(id).filter((other) => other !== draft);
  setOthers(id, shown ? [...others, shown] : others);
  drafts.setState({ [id]: draft });
}

/** Adds a draft that was closed. It is shown if no other one is. */
function reopen(id: number, draft: Draft): void {
  if (drafts.getState()[id]) setOthers(id, [...othersOf(id), draft]);
  else drafts.setState({ [id]: draft });
}

/** Closes a draft of a node, and offers to bring it back. */
export function closeDraft(client: BenchClient, id: number, draft: Draft): void {
  if (drafts.getState()[id] === draft) drafts.setState({ [id]: undefined });
  setOthers(
    id,
    othersOf(id).filter((other) => other !== draft),
  );
  const what = draft.edited ? text.node.drafts.discarded : text.node.drafts.closed;
  offerUndo(client.toasts, what(draft.name), () => reopen(id, draft));
}

/** Shows a new draft. Others stay open; one of the same name gives way, and its edits can be brought back. */
export function addDraft(client: BenchClient, id: number, draft: Draft): void {
  showDraft(id, undefined);
  const same = othersOf(id).filter(({ name }) => name === draft.name);
  setOthers(
    id,
    othersOf(id).filter(({ name }) => name !== draft.name),
  );
  setDraft(id, draft);
  for (const one of same)
    if (one.edited)
      offerUndo(client.toasts, text.node.drafts.replaced(one.name), () =>
        setOthers(id, [...othersOf(id), one]),
      );
}
