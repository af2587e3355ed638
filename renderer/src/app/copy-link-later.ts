import type { BenchClient } from '../state/client/bench-client.ts';

/** Copies a link to what the page shows now; what that takes loads behind the first page. */
export async function copyLink(client: BenchClient): Promise<void> {
  const loaded = await import('./copy-link.ts');
  await loaded.copyLink(client);
}
