import { utf8Header } from '../../../../server/contract/client/request.ts';
import type { BenchView, JobBench } from '../../../../server/contract/remote/benches.ts';
import type { Memory } from './preferences.ts';
import { formatRoute, type Route } from './routes.ts';

/** Another bench that this page works on, through the one that served it. */
export interface AtBench {
  /** Name in addresses: /benches/{name}/…. */
  name: string;
  address: string;
}

const NAME = /^[a-z0-9][a-z0-9-]{0,39}$/;

/** The bench that the page's address names; undefined for the one that served it. */
export function benchOf(search: string): string | undefined {
  const name = new URLSearchParams(search).get('bench') ?? '';
  return NAME.test(name) ? name : undefined;
}

/** Address of the bench that served the page: origin, and path below a reverse proxy. No slash at the end. */
export const pageBase = (address: string): string => new URL('.', address).href.replace(/\/$/, '');

/** The address of a route at a bench, relative to the page. Another bench is another page: their nodes never mix. */
export const hrefAt = (name: string, route: Route): string =>
  `./${name === 'own' ? '' : `?bench=${encodeURIComponent(name)}`}#${formatRoute(route)}`;

/** The address of a remote job: its log there, or that bench while the job has no node. */
export const hrefOfJobAt = ({ name, fpga_id }: Pick<JobBench, 'name' | 'fpga_id'>, job: string): string =>
  hrefAt(name, fpga_id === null ? { kind: 'bench' } : { kind: 'node', node: fpga_id, tab: 'log', job });

/** The base of a bench's routes. @param page base of the bench that served the page */
export const baseOf = (name: string, page: string): string =>
  name === 'own' ? page : `${page}/benches/${name}`;

/** Keys that all benches share: the preferences of the page and its person. */
const SHARED = new Set(['wishbench.preferences']);

/** A part of a storage with its own prefix. */
function apart(memory: Memory | undefined, whose: string): Memory | undefined {
  if (memory === undefined) return undefined;
  const scoped = (key: string) => (SHARED.has(key) ? key : `${key}@${whose}`);
  return {
    getItem: (key) => memory.getItem(scoped(key)),
    setItem: (key, value) => memory.setItem(scoped(key), value),
    removeItem: (key) => memory.removeItem(scoped(key)),
  };
}

/**
 * The storage of one bench. Its address is part of the prefix: a key for one address is never sent to another bench of
 * the same name.
 */
export const memoryOf = (memory: Memory | undefined, { name, address }: AtBench): Memory | undefined =>
  apart(memory, `${name} ${address}`);

/**
 * The storage of the bench that served the page: behind a proxy, other benches may share the origin and its storage.
 */
export function memoryBelow(memory: Memory | undefined, base: string): Memory | undefined {
  const path = new URL(base).pathname;
  return path === '/' ? memory : apart(memory, path);
}

/** Headers with the caller's key at another bench, next to those of the bench that served the page. */
export function headersFor(key: string, session: string | undefined): Record<string, string> {
  return {
    ...(key === '' ? {} : { 'x-bench-key': utf8Header(key) }),
    ...(session === undefined ? {} : { 'x-bench-session': session }),
  };
}

/** The known benches without the shown one. */
export const othersThan = (at: AtBench | undefined, benches: readonly BenchView[]): BenchView[] =>
  benches.filter(({ name }) => name !== (at?.name ?? 'own'));
