import { sharedStatus } from './api/bench/status.ts';
import type { ApiContext } from './api/context.ts';
import { plainHost } from './api/network/network.ts';
import type { NodePorts } from './api/stream/node-ports.ts';
import { poolSettings } from './bench-limits.ts';
import type { BenchesWish } from './benches/benches.ts';
import { every } from './clock.ts';
import type { Store } from './store/index.ts';

/** Delay of a status event, which collects further changes, ms. */
const STATUS_DELAY_MS = 50;

/**
 * Interval of checks for changes of this bench's own announcement, ms: a renewed certificate, or a network that came
 * later.
 */
const LOOK_AT_OWN_MS = 5_000;

/** Announces the bench's status soon, together with changes until then. */
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

/** The remote benches to know and this bench's announcement, from the present settings and listeners. */
export function benchesWish({ settings, listening, hostname, benches }: ApiContext): BenchesWish {
  const { network, benches: wanted } = settings.current;
  const { port, lanUrls, tls } = listening();
  // The LAN's listener: with TLS it has its own port; without an address there is nothing to announce.
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
 * Connects the parts of a bench. Events go to streams and metrics. A revoked key or a lost session ends the responses
 * under it. Changed settings take effect.
 * @returns the function that ends it
 */
export function followEvents(
  context: ApiContext,
  store: Pick<Store, 'onHealth' | 'space'>,
  ports: NodePorts,
  announceStatus: () => void,
): () => void {
  const { events, live, livePins, metrics, underway, outgoing, pool } = context;
  /** The session of each node: a former holder's rights are checked again. */
  const sessions = new Map(pool.nodes().map(({ fpga_id, session }) => [fpga_id, session?.session_id]));
  const unsubscribe = [
    every(context.clock, LOOK_AT_OWN_MS, () => void context.benches.apply(benchesWish(context))),
    events.subscribe((event) => live.publish(event)),
    events.subscribe(
      (event) => (event.type === 'pins' || event.type === 'terminal') && livePins.publish(event),
    ),
    events.subscribe((event) => metrics.onEvent(event)),
    // Builds begin and end with their jobs; the status has the number of used slots.
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
      // Access rights have changed: clients that still have access reconnect.
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
