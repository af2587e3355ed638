import { afterEach, describe, expect, test } from 'vitest';
import { currentRoute, navigate } from '../../../renderer/src/state/page/router.ts';
import { formatRoute, parseRoute, type Route } from '../../../renderer/src/state/page/routes.ts';

const JOB = '12345678-1234-4123-8123-123456789abc';

afterEach(() => {
  window.location.hash = '';
});

describe('addresses', () => {
  const routes: Route[] = [
    { kind: 'bench' },
    { kind: 'node', node: 3, tab: undefined, job: undefined },
    { kind: 'node', node: 0, tab: 'log', job: JOB },
    { kind: 'node', node: 9, tab: 'design', job: JOB, line: 12 },
    { kind: 'node', node: 9, tab: 'design', job: JOB, file: 'rtl/two words.v', line: 12 },
    { kind: 'node', node: 2, tab: 'floorplan', job: JOB },
    { kind: 'job', job: JOB },
    { kind: 'jobs' },
    { kind: 'boards' },
    { kind: 'settings' },
  ];

  test.each(routes)('$kind is parsed as formatted', (route) => {
    expect(parseRoute(formatRoute(route))).toEqual(route);
    expect(parseRoute(`#${formatRoute(route)}`)).toEqual(route);
  });

  test.each(['/node/10', '/node/x', '/node', '/job/12', '/nowhere', '/node/-1'])(
    '%s is an unknown address',
    (address) => {
      expect(parseRoute(address).kind).toBe('unknown');
    },
  );

  test('invalid query parameters are ignored', () => {
    expect(parseRoute('/node/3/sideways?job=../../etc&line=-4')).toEqual({
      kind: 'node',
      node: 3,
      tab: undefined,
      job: undefined,
    });
  });
});

describe('the address bar', () => {
  test('navigating changes the route', () => {
    navigate({ kind: 'node', node: 4, tab: 'report', job: undefined });
    expect(window.location.hash).toBe('#/node/4/report');
    expect(currentRoute()).toMatchObject({ kind: 'node', node: 4, tab: 'report' });
  });
});
