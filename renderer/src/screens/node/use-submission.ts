import { useRef, useState } from 'react';
import type { NodeView } from '../../../../server/contract/nodes/nodes.ts';
import { useBench } from '../../state/client/context.tsx';
import type { Draft } from '../../state/drafts/drafts.ts';
import { type SubmitWay, submitDraft, submitWay } from '../../state/drafts/submission.ts';

/** The submit of a draft: progress and action. */
export interface Submission {
  busy: boolean;
  /** Why the last submit was refused. */
  error: unknown;
  way: SubmitWay;
  /** Does nothing during a submit, or while the node takes none. */
  submit(): void;
}

/** Submits the draft of a node. */
export function useSubmission(node: NodeView, draft: Draft | undefined): Submission {
  const client = useBench();
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const underWay = useRef(false);
  const submit = () => {
    if (draft === undefined || underWay.current) return;
    submitDraft(client, node, draft, {
      begin: () => {
        underWay.current = true;
        setBusy(true);
        setError(undefined);
      },
      end: (reason) => {
        underWay.current = false;
        setBusy(false);
        setError(reason);
      },
    });
  };
  return { busy, error, way: submitWay(node, client.owner), submit };
}
