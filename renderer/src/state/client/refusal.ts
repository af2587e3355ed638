import { explain } from '../page/explain.ts';
import { showToast } from '../page/toasts.ts';
import type { BenchClient } from './bench-client.ts';

/** What the service refused, in its own words. */
export function showRefusal(client: BenchClient, error: unknown): void {
  const { message, remedy } = explain(error);
  showToast(client.toasts, { tone: 'bad', text: message, ...(remedy && { remedy }) });
}
