import { text } from '../../text/text.ts';
import type { BenchClient } from '../client/bench-client.ts';

/**
 * Makes the operator a key for this window and signs him in with it. Returns what takes both back.
 * Rejects with the service's refusal; then nothing has changed.
 */
export async function mintOwnKey(
  client: BenchClient,
  owner: string,
  kept: boolean,
): Promise<() => Promise<void>> {
  const { api_key, key } = await client.service.mintKey({
    body: { owner, label: text.access.windowLabel, operator: true },
  });
  client.preferences.setState({ name: owner, nameAsked: true });
  client.signIn({ apiKey: api_key, username: key.username, minted: true, kept });
  return () => client.signOut();
}
