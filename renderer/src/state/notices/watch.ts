import type { BenchClient } from '../client/bench-client.ts';
import { watchBoards } from './boards.ts';
import { watchBuilds } from './builds.ts';
import { watchConnection } from './connection.ts';
import { watchOthers } from './others.ts';
import { recordToasts } from './record-toasts.ts';
import { watchRequests } from './requests.ts';
import { watchSessions } from './sessions.ts';

/** Makes the notices of this page from what changes on the bench. Returns a function that ends it. */
export function watchForNotices(client: BenchClient): () => void {
  const ends = [
    recordToasts(client.notices, client.toasts),
    ...[watchRequests, watchSessions, watchBoards, watchBuilds, watchOthers, watchConnection].map((watch) =>
      watch(client),
    ),
  ];
  return () => {
    for (const end of ends) end();
  };
}
