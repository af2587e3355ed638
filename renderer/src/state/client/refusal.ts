import { explain } from '../page/explain.ts';
import { showToast } from '../page/toasts.ts';
import type { BenchClient } from './bench-client.ts';

/** Shows a refusal of the service in its own words. */
export function showRefusal(client: BenchClient, error: unknown): void {
  const { message, remedy } = explain(error);
  showToast(client.toasts, { tone: 'bad', text: message, ...(remedy && { remedy }) });
}
