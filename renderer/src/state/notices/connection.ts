import { text } from '../../text/text.ts';
import type { BenchClient } from '../client/bench-client.ts';
import { announce, retractToast, UNREACHABLE } from '../page/toasts.ts';
import { notify } from './notify.ts';

/** How long “answers again” is shown, ms. */
const BACK_DURATION = 4000;

/** Tells that the service answers again; its refused requests are over. Returns a function that ends it. */
export function watchConnection(client: BenchClient): () => void {
  let lost = false;
  return client.connection.subscribe(({ connection }) => {
    if (connection.kind === 'waiting') lost = !connection.refused;
    if (connection.kind !== 'live') return;
    retractToast(client.toasts, UNREACHABLE);
    if (!lost) return;
    lost = false;
    const back = text.shell.back(client.at ? text.shell.theBench(client.at.name) : text.shell.theService);
    announce(client.toasts, back);
    notify(
      client,
      { key: `service ${Date.now()}`, tone: 'good', text: back },
      { toastKey: 'service', duration: BACK_DURATION },
    );
  });
}
