import { text } from '../../text/text.ts';
import type { BenchClient } from '../client/bench-client.ts';

/**
 * Makes a key for the operator's window and signs in with it. Returns a function that undoes both. Rejects with the
 * service's refusal and changes nothing.
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
