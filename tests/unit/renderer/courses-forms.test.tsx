import { render } from '@testing-library/react';
import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { Markdown } from '../../../renderer/src/components/Markdown.tsx';
import { sortRows } from '../../../renderer/src/components/Table.tsx';
import { withHeader } from '../../../renderer/src/screens/courses/AddMembers.tsx';
import { newestBuild } from '../../../renderer/src/screens/courses/AssignmentCard.tsx';
import { rowsOf } from '../../../renderer/src/screens/courses/CheckEditor.tsx';
import { parseBookings } from '../../../renderer/src/screens/courses/CourseSettings.tsx';
import { createCourseChanges } from '../../../renderer/src/state/bench/course-changes.ts';
import { pickNode } from '../../../renderer/src/state/nodes/pick-node.ts';
import { resultsOf } from '../../../server/contract/courses/results.ts';
import type { Expectation } from '../../../server/contract/jobs/scripts.ts';
import { instantAt, wallClock } from '../../../server/contract/wall-clock.ts';
import { course, grade, handIn, member } from '../../support/renderer/courses.ts';
import { job, node, reserved } from '../../support/renderer/fixtures.ts';

describe('times in the zone of a course', () => {
  test.each([
    ['2026-07-01T14:00', '2026-07-01T12:00:00.000Z'],
    ['2026-12-01T14:00', '2026-12-01T13:00:00.000Z'],
    ['2026-03-29T03:00', '2026-03-29T01:00:00.000Z'],
    // The clock goes from 2 to 3: this time does not exist and means the hour after it.
    ['2026-03-29T02:30', '2026-03-29T01:30:00.000Z'],
    // It goes from 3 back to 2: the first of both.
    ['2026-10-25T02:30', '2026-10-25T00:30:00.000Z'],
  ])('%s in Berlin is %s', (clock, instant) => {
    expect(new Date(instantAt('Europe/Berlin', clock)).toISOString()).toBe(instant);
  });

  test('what a clock shows is read back', () => {
    const zones = ['Europe/Berlin', 'America/New_York', 'Asia/Kolkata', 'Australia/Lord_Howe', 'UTC'];
    const minutes = fc.integer({ min: 29_000_000, max: 31_000_000 });
    fc.assert(
      fc.property(minutes, fc.constantFrom(...zones), (minute, zone) => {
        const clock = wallClock(zone, minute * 60_000);
        expect(wallClock(zone, instantAt(zone, clock))).toBe(clock);
      }),
    );
  });
});

describe('the text of an assignment', () => {
  const html = (text: string) => render(<Markdown text={text} />).container.querySelector('div')?.innerHTML;

  test('has headings, lists, code, bold and links', () => {
    expect(
      html(
        '# One\nTwo `a<b` **three**\nfour\n\n- x\n- y\n1. z\n```v\nwire a;\n\n# no\n```\n[w](https://a.b)',
      ),
    ).toBe(
      '<h4>One</h4><p>Two <code>a&lt;b</code> <strong>three</strong> four</p><ul><li>x</li><li>y</li></ul>' +
        '<ol><li>z</li></ol><pre><code>wire a;\n\n# no</code></pre>' +
        '<p><a href="https://a.b" rel="noreferrer" target="_blank">w</a></p>',
    );
  });

  test('runs nothing, whatever it contains', () => {
    expect(html('<img src=x onerror=alert(1)> [w](javascript:alert(1))')).toBe(
      '<p>&lt;img src=x onerror=alert(1)&gt; [w](javascript:alert(1))</p>',
    );
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('`', '*', '[', ']', '(', ')', '#', '-', '\n', ' ', 'a', '<') }),
        (text) => {
          const { container, unmount } = render(<Markdown text={text} />);
          expect(
            container.querySelector('script, img, a:not([href^="http"], [href^="#/"], [href^="mailto:"])'),
          ).toBeNull();
          unmount();
        },
      ),
    );
  });
});

test.each([
  ['Ada\nBob', 'name\nAda\nBob'],
  ['name,email\nAda,a@b', 'name,email\nAda,a@b'],
  ['\uFEFFemail;"Name"\na@b;Ada', '\uFEFFemail;"Name"\na@b;Ada'],
  ['nameless', 'name\nnameless'],
])('a list of names without a header line gets one: %j', (list, sent) => {
  expect(withHeader(list)).toBe(sent);
});

test('a booking is a line', () => {
  expect(parseBookings('tuesday 14:00-16:00 5\n\n Friday 08:00 – 09:30 10 ')).toEqual([
    { day: 'tuesday', from: '14:00', to: '16:00', nodes: 5 },
    { day: 'friday', from: '08:00', to: '09:30', nodes: 10 },
  ]);
  for (const wrong of ['tuesday', 'someday 14:00-16:00 5', 'monday 16:00-14:00 5', 'monday 14:00-16:00'])
    expect(parseBookings(wrong)).toBeUndefined();
});

test('each step of a script becomes a row, and what compares gives a point', () => {
  const rows = rowsOf([
    { op: 'comment', says: 'First' },
    { op: 'write', address: 0, data: [1] },
    { op: 'read', says: 'Counts', address: 4, expect: [5] },
    { op: 'repeat', times: 3, steps: [{ op: 'read', address: 0 }] },
    { op: 'delay', ms: 5 },
  ]);
  expect(rows.map(({ title, points }) => [title, points])).toEqual([
    ['Write at 0x0000', 0],
    ['Counts', 1],
    ['Repeat 3 times', 1],
    ['Pause', 0],
  ]);
  // A saved word shows in its own row only.
  const read = (says: string, expect: Expectation) => ({
    op: 'read' as const,
    says,
    address: 0,
    expect: [expect],
  });
  const saved = rowsOf([
    ...[read('a', { mask: 1, value: 1 }), read('b', { save_as: 'first' }), { op: 'delay' as const, ms: 5 }],
    ...[read('c', { saved: 'first' }), read('d', { mask: 1, value: 1 }), read('e', { saved: 'first' })],
  ]);
  expect(saved.map(({ title, points, steps }) => [title, points, steps.length])).toEqual([
    ['a', 1, 1],
    ['e', 1, 5],
  ]);
});

test('the build to hand in is the newest of the file that was not cancelled', () => {
  const mine = { owner: 'dd1-01', submit: { filename: 'counter.v', size: 1, options: {} } };
  const jobs = [
    job({ ...mine, status: 'cancelled' }),
    job({ ...mine, owner: 'dd1-02' }),
    job({ ...mine, type: 'run' }),
    job({ ...mine, submit: { ...mine.submit, filename: 'other.v' } }),
    job({ ...mine, status: 'running' }),
    job(mine),
  ];
  expect(newestBuild(jobs, 'dd1-01', 'counter.v')).toBe(jobs[4]);
  expect(newestBuild(jobs, 'dd1-01', undefined)).toBe(jobs[3]);
  expect(newestBuild(jobs, 'dd1-03', undefined)).toBeUndefined();
  const project = job({ ...mine, submit: { ...mine.submit, filename: 'top.zip' } });
  expect(newestBuild([...jobs, project], 'dd1-01', 'lab.zip')).toBe(project);
});

test('results have a row for each student, also for who left, and sort with blanks last', () => {
  const members = [...course().members, member('dd1-03', { name: 'Zoë' })];
  const handIns = [
    handIn('dd1-01', 'Ada Lovelace', { counts: false, grade: grade(2, 1) }),
    handIn('dd1-01', 'Ada Lovelace', { grade: grade(0, 1) }),
    handIn('dd1-09', 'Bea'),
    handIn('prof', 'Prof. Turing'),
  ];
  const rows = resultsOf(members, handIns);
  const names = (column: 'name' | 'points' | 'luts', descending: boolean) =>
    sortRows(
      rows,
      ({ name, handIn }) => (column === 'name' ? name : (handIn?.grade[column] ?? null)),
      descending,
    ).map(({ name }) => name);
  expect(names('name', false)).toEqual(['Ada Lovelace', 'Bea', 'Chen Wei', 'Zoë']);
  expect(names('points', true)).toEqual(['Bea', 'Ada Lovelace', 'Chen Wei', 'Zoë']);
  expect(names('luts', false)).toEqual(['Ada Lovelace', 'Bea', 'Chen Wei', 'Zoë']);
});

test('a class that begins together is spread over the nodes with the shortest line', () => {
  const nodes = [reserved(0, 'bob'), node(1), node(2, { state: 'error' }), node(3)];
  expect([0, 0.5, 0.99].map((chance) => pickNode(nodes, [], 'ada', chance))).toEqual([1, 3, 3]);
  expect(pickNode([...nodes, reserved(4, 'ada')], [], 'ada', 0)).toBe(4);
  const busy = [reserved(0, 'bob'), reserved(1, 'eve')];
  expect(pickNode(busy, [{ waiting_for: 0 }, { waiting_for: null }], 'ada', 0)).toBe(1);
});

test('changes of a course that come together are followed once', () => {
  vi.useFakeTimers();
  const { store, note } = createCourseChanges();
  const seen = () => store.getState()['dd1'];
  for (let hand = 0; hand < 30; hand++) note('dd1');
  expect(seen()).toBe(1);
  vi.advanceTimersByTime(3_000);
  expect(seen()).toBe(2);
  vi.advanceTimersByTime(60_000);
  expect(seen()).toBe(2);
  note('dd1');
  expect(seen()).toBe(3);
  vi.useRealTimers();
});
