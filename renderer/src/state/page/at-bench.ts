import { utf8Header } from '../../../../server/contract/client/request.ts';
import type { BenchView, JobBench } from '../../../../server/contract/remote/benches.ts';
import type { Memory } from './preferences.ts';
import { formatRoute, type Route } from './routes.ts';

/** Another bench that this page works on, through the one that served it. */
export interface AtBench {
  /** In addresses: /benches/{name}/…. */
  name: string;
  address: string;
}

const NAME = /^[a-z0-9][a-z0-9-]{0,39}$/;

/** The bench that the page's address names; undefined for the one that served it. */
export function benchOf(search: string): string | undefined {
  const name = new URLSearchParams(search).get('bench') ?? '';
  return NAME.test(name) ? name : undefined;
}

/** Where the bench that served the page is: its origin, and its path below a reverse proxy. No slash at the end. */
export const pageBase = (address: string): string => new URL('.', address).href.replace(/\/$/, '');

/** The address of a route of a bench, from where the page is. Another bench is another page: nothing of this one's nodes is mixed with its. */
export const hrefAt = (name: string, route: Route): string =>
  `./${name === 'own' ? '' : `?bench=${encodeURIComponent(name)}`}#${formatRoute(route)}`;

/** The address of a job that another bench has: its log there, or that bench while the job has no node. */
export const hrefOfJobAt = ({ name, fpga_id }: Pick<JobBench, 'name' | 'fpga_id'>, job: string): string =>
  hrefAt(name, fpga_id === null ? { kind: 'bench' } : { kind: 'node', node: fpga_id, tab: 'log', job });

/** The base of a bench's routes. @param page that of the bench which served the page */
export const baseOf = (name: string, page: string): string =>
  name === 'own' ? page : `${page}/benches/${name}`;

/** Kept once, whichever bench is looked at: what the page looks like, and who its person is. */
const SHARED = new Set(['wishbench.preferences']);

/** What is kept for one, apart from what is kept for all others. */
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
 * What is kept of a bench, apart from all others. Its address is part of the name: a key that was given for one address
 * is never sent to another that is called the same.
 */
export const memoryOf = (memory: Memory | undefined, { name, address }: AtBench): Memory | undefined =>
  apart(memory, `${name} ${address}`);

/** What is kept of the bench that served the page: a proxy may have others on the same origin, which share its storage. */
export function memoryBelow(memory: Memory | undefined, base: string): Memory | undefined {
  const path = new URL(base).pathname;
  return path === '/' ? memory : apart(memory, path);
}

/** Headers that say who calls another bench, beside those for the one that served the page. */
export function headersFor(key: string, session: string | undefined): Record<string, string> {
  return {
    ...(key === '' ? {} : { 'x-bench-key': utf8Header(key) }),
    ...(session === undefined ? {} : { 'x-bench-session': session }),
  };
}

/** Of the benches that the one that served the page knows, those beside the one that is looked at. */
export const othersThan = (at: AtBench | undefined, benches: readonly BenchView[]): BenchView[] =>
  benches.filter(({ name }) => name !== (at?.name ?? 'own'));
