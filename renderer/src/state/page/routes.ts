import { text } from '../../text/text.ts';

export type NodeTab = keyof typeof text.nodeActions.tabs;
/** The tabs in their order; screens/node/tabs.tsx has their contents. */
export const NODE_TABS = Object.keys(text.nodeActions.tabs) as NodeTab[];

export const COURSE_TABS = ['wall', 'members', 'assignments', 'results', 'settings'] as const;
export type CourseTab = (typeof COURSE_TABS)[number];

/** What a view shows besides its place, such as a search: name to value. */
export type Look = Record<string, string>;

/** A screen or a part of it: each has an address. */
export type Route =
  | { kind: 'bench' }
  /** The rack full screen, for a screen in the lab. */
  | { kind: 'wall' }
  | {
      kind: 'node';
      node: number;
      tab: NodeTab | undefined;
      job: string | undefined;
      file?: string;
      line?: number;
      look?: Look;
    }
  | { kind: 'job'; job: string }
  | { kind: 'jobs' }
  | { kind: 'boards' }
  | { kind: 'settings' }
  | { kind: 'audit' }
  | { kind: 'builds' }
  /** The courses, or one of them. */
  | { kind: 'courses'; course: string | undefined; tab: CourseTab | undefined }
  /** Joins a course by its code. */
  | { kind: 'course'; code: string }
  /** Redeems an invitation. */
  | { kind: 'join'; code: string }
  | { kind: 'unknown'; address: string };

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** An invitation's code: a prefix and 128 bits in base64url. */
const CODE = /^wbi_[A-Za-z0-9_-]{22}$/;

const COURSE_ID = /^[a-z0-9-]{1,32}$/;
const COURSE_CODE = /^[A-Za-z0-9_-]{1,64}$/;

/** Maximum length of a project's file path. */
const MAX_FILE_PATH_LENGTH = 255;

/** Parameters of a node's address that say where it is; the others say what is looked at. */
const PLACE = new Set(['job', 'file', 'line']);
const LOOK_NAME = /^[a-z]{1,12}$/;
const MAX_LOOKS = 8;
const MAX_LOOK_LENGTH = 300;

function parseLook(parameters: URLSearchParams): Look {
  const look: Look = {};
  for (const [name, value] of [...parameters].slice(0, MAX_LOOKS + PLACE.size))
    if (!PLACE.has(name) && LOOK_NAME.test(name) && value !== '' && value.length <= MAX_LOOK_LENGTH)
      look[name] = value;
  return look;
}

/** Parses `/node/3/log?job=…`, the part after `#`. */
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
        const file = parameters.get('file') ?? '';
        const look = parseLook(parameters);
        return {
          kind: 'node',
          node: Number(a),
          tab,
          job: job !== undefined && UUID.test(job) ? job : undefined,
          ...(file !== '' && file.length <= MAX_FILE_PATH_LENGTH && { file }),
          ...(line > 0 && { line }),
          ...(Object.keys(look).length > 0 && { look }),
        };
      }
      break;
    case 'job':
      if (UUID.test(a)) return { kind: 'job', job: a };
      break;
    case 'join':
      if (CODE.test(a)) return { kind: 'join', code: a };
      break;
    case 'courses':
      if (a === '' || COURSE_ID.test(a))
        return { kind: 'courses', course: a || undefined, tab: COURSE_TABS.find((name) => name === b) };
      break;
    case 'course':
      if (COURSE_CODE.test(a)) return { kind: 'course', code: a };
      break;
    case 'wall':
    case 'jobs':
    case 'boards':
    case 'settings':
    case 'audit':
    case 'builds':
      return { kind: screen };
  }
  return { kind: 'unknown', address: path };
}

/** The address of a route, without `#`. */
export function formatRoute(route: Route): string {
  switch (route.kind) {
    case 'bench':
      return '/';
    case 'node': {
      const parameters = new URLSearchParams();
      if (route.job) parameters.set('job', route.job);
      if (route.file) parameters.set('file', route.file);
      if (route.line) parameters.set('line', String(route.line));
      for (const [name, value] of Object.entries(route.look ?? {})) parameters.set(name, value);
      const query = parameters.size > 0 ? `?${parameters}` : '';
      return `/node/${route.node}${route.tab ? `/${route.tab}` : ''}${query}`;
    }
    case 'job':
      return `/job/${route.job}`;
    case 'join':
      return `/join/${route.code}`;
    case 'courses':
      return ['/courses', route.course, route.course && route.tab].filter(Boolean).join('/');
    case 'course':
      return `/course/${route.code}`;
    case 'wall':
    case 'jobs':
    case 'boards':
    case 'settings':
    case 'audit':
    case 'builds':
      return `/${route.kind}`;
    case 'unknown':
      return route.address;
  }
}

export const href = (route: Route): string => `#${formatRoute(route)}`;

/** Names the page of a route: a node with all its tabs is one page. */
export const pageOf = (route: Route): string => (route.kind === 'node' ? `node ${route.node}` : route.kind);
