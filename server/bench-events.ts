import { sharedStatus } from './api/bench/status.ts';
import type { ApiContext } from './api/context.ts';
import { plainHost } from './api/network/network.ts';
import type { NodePorts } from './api/stream/node-ports.ts';
import { poolSettings } from './bench-limits.ts';
import type { BenchesWish } from './benches/benches.ts';
import { every } from './clock.ts';
import type { Store } from './store/index.ts';

/** A change of the status is announced this much later, together with the ones that follow it, ms. */
const STATUS_DELAY_MS = 50;

/**
 * How often it is looked whether the bench is to announce something else of itself, ms: a certificate was renewed, or the
 * computer was in no network when it began.
 */
const LOOK_AT_OWN_MS = 5_000;

/** Tells everybody the bench's status soon; what changes until then is told with it. */
export function statusAnnouncer(context: Pick<ApiContext, 'clock' | 'events'>, whole: () => ApiContext) {
  let announced = false;
  return () => {
    if (announced) return;
    announced = true;
    context.clock.after(STATUS_DELAY_MS, () => {
      announced = false;
      context.events.publish({ type: 'status', status: sharedStatus(whole()) });
    });
  };
}

/** Which benches are to be known, and what this one announces of itself: as the settings and the doors are now. */
export function benchesWish({ settings, listening, hostname, benches }: ApiContext): BenchesWish {
  const { network, benches: wanted } = settings.current;
  const { port, lanUrls, tls } = listening();
  // What listens for the LAN: with TLS that has a port of its own, and without an address there is nothing to find.
  const secure = lanUrls.find((url) => url.startsWith('https:'));
  const reached = secure === undefined ? port : Number(new URL(secure).port || 443);
  const found = network.lan && wanted.discover && (lanUrls.length > 0 || network.tls.kind === 'none');
  return {
    known: wanted.known,
    announce: found
      ? {
          id: benches.id,
          title: wanted.title ?? hostname.slice(0, 64),
          port: reached,
          fingerprint: secure === undefined ? null : (tls?.fingerprint.replaceAll(':', '') ?? null),
        }
      : null,
  };
}

/**
 * What happens at one part of a bench and concerns another: events go to the streams and to the figures, a key that
 * is revoked or a session that is lost ends what went on under it, and settings are taken up.
 * @returns what ends it
 */
export function followEvents(
  context: ApiContext,
  store: Pick<Store, 'onHealth' | 'space'>,
  ports: NodePorts,
  announceStatus: () => void,
): () => void {
  const { events, live, livePins, metrics, underway, outgoing, pool } = context;
  /** The session of each node: who holds one no longer is asked again what he may. */
  const sessions = new Map(pool.nodes().map(({ fpga_id, session }) => [fpga_id, session?.session_id]));
  const unsubscribe = [
    every(context.clock, LOOK_AT_OWN_MS, () => void context.benches.apply(benchesWish(context))),
    events.subscribe((event) => live.publish(event)),
    events.subscribe(
      (event) => (event.type === 'pins' || event.type === 'terminal') && livePins.publish(event),
    ),
    events.subscribe((event) => metrics.onEvent(event)),
    // Builds come and go with their jobs; the status says how many slots they take.
    events.subscribe((event) => event.type === 'job' && announceStatus()),
    store.onHealth(announceStatus),
    store.space.onChange(announceStatus),
    context.keys.onRevoked((id) => {
      underway.recheck();
      outgoing.end(id);
    }),
    events.subscribe((event) => {
      if (event.type !== 'node' || sessions.get(event.node.fpga_id) === event.node.session?.session_id)
        return;
      sessions.set(event.node.fpga_id, event.node.session?.session_id);
      underway.recheck();
    }),
    context.settings.onChange((current, changed) => {
      pool.configure(poolSettings(current));
      void context.benches.apply(benchesWish(context));
      void ports.apply(current.network, plainHost(current.network));
      announceStatus();
      // Who is let in has changed: streams are opened again by those who still are.
      if (changed.some((field) => field === 'auth.enforcement' || field === 'network.lan')) {
        live.endAll();
        livePins.endAll();
      }
      underway.recheck();
    }),
  ];
  return () => {
    for (const end of unsubscribe) end();
  };
}
