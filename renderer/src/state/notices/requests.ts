import type { ControlRequest } from '../../../../server/contract/nodes/control.ts';
import type { NodeView } from '../../../../server/contract/nodes/nodes.ts';
import { text } from '../../text/text.ts';
import type { BenchClient } from '../client/bench-client.ts';
import { retractToast } from '../page/toasts.ts';
import { notify } from './notify.ts';

const t = text.notices;

type OpenRequest = ControlRequest & { node: number };

/** The open control requests to this owner. */
export const openRequests = (nodes: readonly NodeView[] | undefined, owner: string): OpenRequest[] =>
  (nodes ?? []).flatMap(({ fpga_id: node, session, control_requests: requests }) =>
    session?.owner === owner ? requests.map((request) => ({ ...request, node })) : [],
  );

const keyOf = ({ node, owner, since }: OpenRequest): string => `request ${node} ${owner} ${since}`;

const asks = ({ control_requests: requests }: NodeView, me: string): boolean =>
  requests.some(({ owner }) => owner === me);

/** Tells the holder of requests, and who asked that the session ended first. Returns a function that ends it. */
export function watchRequests(client: BenchClient): () => void {
  const look = (nodes: readonly NodeView[] | undefined, before: readonly NodeView[] | undefined) => {
    const me = client.owner;
    const open = new Set<string>();
    const known = new Set(openRequests(before, me).map(keyOf));
    for (const request of openRequests(nodes, me)) {
      const key = keyOf(request);
      open.add(key);
      if (known.has(key)) continue;
      const { node, owner, note } = request;
      const about = { kind: 'request', node, owner } as const;
      // Nobody else can answer it: it stays until it is answered.
      const notice = { key, tone: 'warn', text: t.asks(owner, node, note), about } as const;
      notify(client, notice, { toast: 'always', duration: Number.POSITIVE_INFINITY });
    }
    for (const key of known) if (!open.has(key)) retractToast(client.toasts, key);
    for (const old of before ?? []) {
      const now = nodes?.[old.fpga_id];
      if (now?.session !== null || !asks(old, me)) continue;
      notify(client, {
        key: `request-ended ${old.fpga_id} ${old.session?.session_id} ${old.session?.expires_at}`,
        tone: 'plain',
        text: t.requestEnded(old.fpga_id),
        remedy: t.requestEndedRemedy,
        about: { kind: 'node', node: old.fpga_id },
      });
    }
  };
  look(client.nodes.getState().nodes, undefined);
  return client.nodes.subscribe(({ nodes }, { nodes: before }) => look(nodes, before));
}
