import { createClient } from '../../../../server/contract/client/client.ts';
import type { BenchNode } from '../../../../server/contract/remote/benches.ts';
import { signedInOf } from '../bench/identity.ts';
import type { BenchClient } from '../client/bench-client.ts';
import { type AtBench, baseOf, headersFor, memoryOf, pageBase } from '../page/at-bench.ts';

/** Poll interval of a bench that shows its nodes only after sign-in, ms. */
const LOOK_MS = 3_000;

/** Polls the nodes of a bench with the person's key there; does nothing without a key. */
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
