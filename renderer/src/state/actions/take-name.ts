import type { BenchClient } from '../client/bench-client.ts';

/** The name that no browser has to itself. */
const SHARED_NAME = 'anonymous';

/**
 * Records the person under a name from here on. Sessions that this browser began without a name go to the name, so the
 * person still holds them.
 */
export async function takeName(client: BenchClient, name: string): Promise<void> {
  const { owner, named } = client;
  if (name !== '' && !named && owner !== SHARED_NAME) {
    const held = client.nodes.getState().nodes?.filter(({ session }) => session?.owner === owner) ?? [];
    await Promise.all(
      held.map(({ fpga_id }) =>
        // A session that ended meanwhile has nothing to hand over.
        client.service.handOverSession({ fpga_id, body: { to: name } }).catch(() => undefined),
      ),
    );
  }
  client.preferences.setState({ name, nameAsked: true });
}
