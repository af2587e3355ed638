import type { BenchClient } from './bench-client.ts';
import { explain } from './explain.ts';
import { showToast } from './toasts.ts';

/** What the service refused, in its own words. */
export function showRefusal(client: BenchClient, error: unknown): void {
  const { message, remedy } = explain(error);
  showToast(client.toasts, { tone: 'bad', text: message, ...(remedy && { remedy }) });
}
