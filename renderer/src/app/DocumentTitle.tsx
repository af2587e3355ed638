import { useEffect } from 'react';
import { useNow } from '../components/Time.tsx';
import { useBench, useJob, useNodes } from '../state/client/context.tsx';
import { openRequests } from '../state/notices/requests.ts';
import { warningsAt } from '../state/notices/sessions.ts';
import type { Route } from '../state/page/routes.ts';
import { titleOf } from './title.ts';

/** Interval at which it looks for sessions near their end, ms. */
const LOOK_MS = 10_000;

/** Keeps the title of the tab up to date. */
export function DocumentTitle({ route }: { route: Route }) {
  const client = useBench();
  const nodes = useNodes();
  const node = route.kind === 'node' ? nodes?.[route.node] : undefined;
  const building = useJob(node?.current_job_id)?.submit?.filename;
  const now = useNow(LOOK_MS);
  const [first] = warningsAt(client);
  const ending = (nodes ?? []).filter(
    ({ session }) => session?.owner === client.owner && Date.parse(session.expires_at) - now <= first * 1000,
  );
  const waiting = openRequests(nodes, client.owner).length + ending.length;
  const title = titleOf(route, { node, building, bench: client.at?.name, waiting });
  useEffect(() => {
    document.title = title;
  }, [title]);
  return null;
}
