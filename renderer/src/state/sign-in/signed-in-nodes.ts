import { createClient } from '../../../../server/contract/client/client.ts';
import type { BenchNode } from '../../../../server/contract/remote/benches.ts';
import { signedInOf } from '../bench/identity.ts';
import type { BenchClient } from '../client/bench-client.ts';
import { type AtBench, baseOf, headersFor, memoryOf, pageBase } from '../page/at-bench.ts';

/** Between two looks at a bench that tells its nodes only to those who sign in there, ms. */
const LOOK_MS = 3_000;

/** Tells the nodes of a bench as the person who signed in there sees them, again and again; nothing without a sign-in. */
export function nodesAsSignedIn(
  client: BenchClient,
  at: AtBench,
  tell: (nodes: readonly BenchNode[] | null) => void,
): () => void {
  const home = client.home ?? client;
  const key = signedInOf(memoryOf(home.tabMemory, at), memoryOf(home.memory, at))?.apiKey;
  if (key === undefined) return () => {};
  const { options } = home.service;
  const service = createClient({
    ...options,
    base: baseOf(at.name, pageBase(window.location.href)),
    headers: async () => ({ ...(await options.headers?.('')), ...headersFor(key, undefined) }),
  });
  let ended = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const look = async () => {
    const own = await service.getOwnBench().catch(() => null);
    if (ended) return;
    tell(own?.nodes ?? null);
    timer = setTimeout(look, LOOK_MS);
  };
  void look();
  return () => {
    ended = true;
    clearTimeout(timer);
  };
}
