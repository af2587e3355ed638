import { explain, isUnreachable } from '../page/explain.ts';
import { showToast, UNREACHABLE } from '../page/toasts.ts';
import type { BenchClient } from './bench-client.ts';

/** Shows a refusal of the service in its own words. */
export function showRefusal(client: BenchClient, error: unknown): void {
  const { message, remedy } = explain(error);
  showToast(client.toasts, {
    tone: 'bad',
    text: message,
    ...(remedy && { remedy }),
    // It leaves when the service answers again, and the banner says the rest.
    ...(isUnreachable(error) && { key: UNREACHABLE, unlisted: true }),
  });
}
