import { text } from '../../text/text.ts';
import type { BenchClient } from '../client/bench-client.ts';
import { retractToast } from '../page/toasts.ts';
import { notify } from './notify.ts';

const t = text.notices;

/** The usual warnings before the end of a session, in seconds. */
const USUAL = [300, 60] as const;

/** Seconds before the end at which a session warns: at most a quarter and a tenth of a short lifetime. */
export const warningsOf = (ttlSeconds: number): readonly [first: number, last: number] => [
  Math.min(USUAL[0], Math.floor(ttlSeconds / 4)),
  Math.min(USUAL[1], Math.floor(ttlSeconds / 10)),
];

/** The warnings of this bench. */
export const warningsAt = (client: BenchClient): readonly [first: number, last: number] =>
  warningsOf(client.status.getState().status?.limits?.session_ttl_seconds ?? 3600);

const leftText = (seconds: number): string =>
  seconds % 60 === 0 ? t.minutes(seconds / 60) : t.seconds(seconds);

/** Warns the holder of sessions near their end. Returns a function that ends it. */
export function watchSessions(client: BenchClient): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const shown = new Map<number, string>();
  const look = () => {
    clearTimeout(timer);
    const warnings = warningsAt(client);
    let next = Number.POSITIVE_INFINITY;
    for (const { fpga_id: id, session, resetting } of client.nodes.getState().nodes ?? []) {
      const toastKey = `session ${id}`;
      const left =
        session?.owner === client.owner && !resetting
          ? Date.parse(session.expires_at) - Date.now()
          : Number.POSITIVE_INFINITY;
      const due = warnings.filter((seconds) => left <= seconds * 1000).at(-1);
      for (const seconds of warnings) if (left > seconds * 1000) next = Math.min(next, left - seconds * 1000);
      if (due === undefined || session === null) {
        shown.delete(id);
        retractToast(client.toasts, toastKey);
        continue;
      }
      const minute = Math.round(Date.parse(session.expires_at) / 60_000);
      const key = `session ${id} ${minute} ${due}`;
      if (shown.get(id) === key) continue;
      shown.set(id, key);
      const about = { kind: 'session', node: id } as const;
      const notice = { key, tone: 'warn', text: t.expires(id, leftText(due)), about } as const;
      notify(
        client,
        { ...notice, remedy: t.expiresRemedy },
        { toast: 'always', toastKey, duration: Number.POSITIVE_INFINITY },
      );
    }
    if (next < Number.POSITIVE_INFINITY) timer = setTimeout(look, next + 50);
  };
  look();
  const ends = [client.nodes.subscribe(look), client.status.subscribe(look)];
  return () => {
    clearTimeout(timer);
    for (const end of ends) end();
  };
}
