export const NODE_TABS = ['design', 'log', 'registers', 'report', 'history'] as const;
export type NodeTab = (typeof NODE_TABS)[number];

/** Where the person is: every place has an address. */
export type Route =
  | { kind: 'bench' }
  | { kind: 'node'; node: number; tab: NodeTab | undefined; job: string | undefined; line?: number }
  | { kind: 'job'; job: string }
  | { kind: 'jobs' }
  | { kind: 'boards' }
  | { kind: 'settings' }
  | { kind: 'unknown'; address: string };

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Reads `/node/3/log?job=…`, from the part after `#` or from the path of a deep link. */
export function parseRoute(address: string): Route {
  const [path = '', query = ''] = address.replace(/^#/, '').split('?');
  const [screen = '', a = '', b = ''] = path.split('/').filter((part) => part !== '');
  const parameters = new URLSearchParams(query);
  switch (screen) {
    case '':
    case 'bench':
      return { kind: 'bench' };
    case 'node':
      if (/^\d$/.test(a)) {
        const tab = NODE_TABS.find((name) => name === b);
        const job = parameters.get('job') ?? undefined;
        const line = Number(parameters.get('line'));
        return {
          kind: 'node',
          node: Number(a),
          tab,
          job: job !== undefined && UUID.test(job) ? job : undefined,
          ...(line > 0 && { line }),
        };
      }
      break;
    case 'job':
      if (UUID.test(a)) return { kind: 'job', job: a };
      break;
    case 'jobs':
    case 'boards':
    case 'settings':
      return { kind: screen };
  }
  return { kind: 'unknown', address: path };
}

/** The address of a route, to put behind `#`. */
export function formatRoute(route: Route): string {
  switch (route.kind) {
    case 'bench':
      return '/';
    case 'node': {
      const parameters = new URLSearchParams();
      if (route.job) parameters.set('job', route.job);
      if (route.line) parameters.set('line', String(route.line));
      const query = parameters.size > 0 ? `?${parameters}` : '';
      return `/node/${route.node}${route.tab ? `/${route.tab}` : ''}${query}`;
    }
    case 'job':
      return `/job/${route.job}`;
    case 'jobs':
    case 'boards':
    case 'settings':
      return `/${route.kind}`;
    case 'unknown':
      return route.address;
  }
}

export const href = (route: Route): string => `#${formatRoute(route)}`;
