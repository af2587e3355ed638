import { copyPlain } from '../components/clipboard.ts';
import type { BenchClient } from '../state/client/bench-client.ts';
import { currentRoute } from '../state/page/router.ts';
import { href } from '../state/page/routes.ts';
import { addressFor, sharedRoute } from '../state/page/share.ts';
import { showToast } from '../state/page/toasts.ts';
import { text } from '../text/text.ts';

const t = text.shell;

/** Copies a link to what the page shows now. */
export async function copyLink(client: BenchClient): Promise<void> {
  const { status } = client.status.getState();
  const lan = status?.lan.enabled ? status.lan.addresses : [];
  const { address, onlyHere } = addressFor(
    href(sharedRoute(currentRoute())),
    new URL(window.location.href),
    lan,
  );
  const done = await copyPlain(address);
  showToast(client.toasts, {
    tone: done ? 'good' : 'bad',
    text: done ? t.linkCopied : t.linkNotCopied(address),
    ...(done && onlyHere ? { remedy: t.linkOnlyHere } : {}),
  });
}
