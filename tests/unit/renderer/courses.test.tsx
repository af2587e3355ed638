import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import { App } from '../../../renderer/src/app/App.tsx';
import { OpenDialog } from '../../../renderer/src/components/OpenDialog.tsx';
import CoursesScreen from '../../../renderer/src/screens/courses/CoursesScreen.tsx';
import JoinCourse from '../../../renderer/src/screens/courses/JoinCourse.tsx';
import { drafts } from '../../../renderer/src/state/drafts/drafts.ts';
import type { CourseTab } from '../../../renderer/src/state/page/routes.ts';
import { ASSIGNMENT_ID, assignment, course, grade, handIn, member } from '../../support/renderer/courses.ts';
import { FakeService, refusal } from '../../support/renderer/fake-service.ts';
import { job, node, reserved, status } from '../../support/renderer/fixtures.ts';
import { show } from '../../support/renderer/render.tsx';

const ASSIGNMENT = `/courses/dd1/assignments/${ASSIGNMENT_ID}`;

const serviceWith = (view = course(), list = [assignment()], handIns = [handIn('dd1-01', 'Ada Lovelace')]) =>
  new FakeService()
    .on('GET /courses', [
      {
        course_id: 'dd1',
        name: view.name,
        role: view.role,
        closed: false,
        members: 3,
        assignments: 1,
        hands: 1,
        raised: [],
      },
    ])
    .on('GET /courses/dd1', view)
    .on('GET /courses/dd1/assignments', list)
    .on(`GET ${ASSIGNMENT}/hand-ins`, handIns)
    .on('GET /designs', []);
const open = (service: FakeService, tab?: CourseTab) =>
  show(<CoursesScreen course="dd1" tab={tab} />, service);
const bodies = (service: FakeService, call: string) =>
  service.asked.filter(({ method, path }) => `${method} ${path}` === call).map(({ body }) => body);
const student = (change = {}) =>
  course({
    role: 'student',
    username: 'dd1-01',
    shares: { day_minutes: 60, sessions: 1 },
    members: [
      member('dd1-01', {
        name: 'Ada Lovelace',
        used: { sessions: 1, day_minutes: 20, queued_jobs: 0 },
        ...change,
      }),
    ],
  });
const asStudent = (service: FakeService) => show(<CoursesScreen course="dd1" />, service);

test('the rail has courses for who is in one, and for the operator; a change of a course renews the list', async () => {
  const service = serviceWith();
  let list: object[] = [];
  service.on('GET /courses', () => list);
  const { client } = await show(<App />, service);
  await waitFor(() => expect(service.asked.some(({ path }) => path === '/courses')).toBe(true));
  const rail = () => within(screen.getByRole('navigation', { name: 'Screens' }));
  client.status.setState({ status: status({ caller: { owner: 'ada', operator: false, key: true } }) });
  await waitFor(() => expect(rail().queryByText('Audit')).toBeNull());
  expect(rail().queryByText('Courses')).toBeNull();
  list = [
    {
      course_id: 'dd1',
      name: 'A',
      role: 'student',
      closed: false,
      members: 1,
      assignments: 0,
      hands: 0,
      raised: [],
    },
  ];
  service.send({ type: 'course', course_id: 'dd1' } as never);
  expect(await rail().findByText('Courses')).toBeTruthy();
});

test('a refused list of courses shows the refusal, not that there are none', async () => {
  const service = serviceWith().on('GET /courses', refusal(403, 'key_required', 'Sign in first.'));
  await show(<CoursesScreen />, service);
  expect(await screen.findByText('Sign in first.')).toBeTruthy();
  expect(screen.queryByText('No courses yet')).toBeNull();
  service.on('GET /courses', []);
  fireEvent.click(screen.getByRole('button', { name: 'Try again' }));
  expect(await screen.findByText('No courses yet')).toBeTruthy();
});

test('a raised hand is a notice for the teachers on every page, until it is lowered', async () => {
  const summary = { course_id: 'dd1', name: 'Digital', closed: false, members: 2, assignments: 0, hands: 1 };
  const hand = { username: 'dd1-02', name: 'Chen', at: '2026-01-02T10:00:00.000Z', message: 'Which pin?' };
  const other = { ...summary, course_id: 'dd2', name: 'Other', role: 'student', raised: [] };
  let list: object[] = [{ ...summary, role: 'teacher', raised: [hand] }, other];
  const service = serviceWith();
  service.on('GET /courses', () => list);
  const { client } = await show(<App />, service);
  const words = 'Chen raises a hand in Digital: “Which pin?”';
  expect(await screen.findByRole('link', { name: words })).toHaveProperty('hash', '#/courses/dd1/wall');
  list = [{ ...summary, role: 'teacher', raised: [] }, other];
  service.send({ type: 'course', course_id: 'dd1' } as never);
  await waitFor(() => expect(screen.queryByRole('link', { name: words })).toBeNull());
  expect(client.notices.getState().notices.map(({ text }) => text)).toEqual([words]);
});

test('the operator creates a course and goes to its members', async () => {
  const service = serviceWith().on('POST /courses', course());
  await show(<CoursesScreen />, service);
  expect(await screen.findByRole('link', { name: 'Digital design 1' })).toHaveProperty(
    'hash',
    '#/courses/dd1',
  );
  fireEvent.click(await screen.findByRole('button', { name: 'Create a course' }));
  fireEvent.change(screen.getByLabelText('Name of the course'), { target: { value: ' VLSI ' } });
  fireEvent.click(within(screen.getByRole('dialog')).getByRole('button', { name: 'Create a course' }));
  await waitFor(() => expect(window.location.hash).toBe('#/courses/dd1/members'));
  expect(bodies(service, 'POST /courses')).toEqual([{ name: 'VLSI' }]);
});

test('the wall shows names, raised hands first, with a way to the node', async () => {
  const members = [
    member('dd1-01', { name: 'Ada Lovelace' }),
    member('dd1-02', {
      name: 'Chen Wei',
      hand: { at: '2026-01-02T10:00:00.000Z', message: 'Why is ack low?' },
    }),
  ];
  const service = serviceWith(course({ members })).on(
    'DELETE /courses/dd1/members/dd1-02/hand',
    new Response(null, { status: 204 }),
  );
  service.nodes[3] = reserved(3, 'dd1-01');
  await open(service);
  const wall = await screen.findByRole('list', { name: 'Wall' });
  expect(
    within(wall)
      .getAllByRole('heading')
      .map(({ textContent }) => textContent),
  ).toEqual(['Chen Wei', 'Ada Lovelace']);
  expect(within(wall).getByText(/Why is ack low/)).toBeTruthy();
  expect(within(wall).getByRole('link', { name: 'Node 3 of Ada Lovelace' })).toHaveProperty(
    'hash',
    '#/node/3',
  );
  fireEvent.click(within(wall).getByRole('button', { name: 'Lower the hand of Chen Wei' }));
  await waitFor(() => expect(bodies(service, 'DELETE /courses/dd1/members/dd1-02/hand')).toHaveLength(1));
});

test('a pasted list is sent as CSV, and what the service cannot read stays in the dialog', async () => {
  let wrong = true;
  const service = serviceWith().on('POST /courses/dd1/members', () =>
    wrong
      ? refusal(422, 'members_unreadable', 'Line 3 has the name of line 2.')
      : { added: [{ username: 'dd1-03', name: 'Eve', role: 'student' }], present: ['Ada Lovelace'] },
  );
  await open(service, 'members');
  fireEvent.click(await screen.findByRole('button', { name: 'Add members…' }));
  const dialog = within(screen.getByRole('dialog'));
  fireEvent.change(dialog.getByLabelText('Names'), { target: { value: 'Eve\nEve' } });
  fireEvent.click(dialog.getByRole('button', { name: 'Add members' }));
  expect(await dialog.findByText(/Line 3 has the name of line 2/)).toBeTruthy();
  wrong = false;
  fireEvent.click(dialog.getByRole('button', { name: 'Add members' }));
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  expect(bodies(service, 'POST /courses/dd1/members')).toEqual(['name\nEve\nEve', 'name\nEve\nEve']);
  expect(service.asked.findLast(({ method }) => method === 'POST')?.headers['content-type']).toMatch(
    /^text\/csv/,
  );
});

test('links are made into a sheet with a QR code for each member', async () => {
  const service = serviceWith().on('POST /courses/dd1/invitations', [
    {
      ...{ username: 'dd1-02', name: 'Chen Wei', role: 'student', email: null },
      ...{ url: 'http://10.0.0.1:8000/#/join/wbi_x', expires_at: '2026-02-02T10:00:00.000Z' },
    },
  ]);
  await open(service, 'members');
  fireEvent.click(await screen.findByRole('button', { name: 'Make invitation sheet' }));
  expect(await screen.findByRole('img', { name: 'QR code of the link for Chen Wei' })).toBeTruthy();
  expect(screen.getByText(/#\/join\/wbi_x$/)).toBeTruthy();
  expect(bodies(service, 'POST /courses/dd1/invitations')).toEqual([{}]);
  fireEvent.click(screen.getByRole('button', { name: 'Back to the members' }));
  expect(screen.getByRole('table', { name: 'Members' })).toBeTruthy();
});

test('a member gets another role and limits of its own, and is erased only after a question', async () => {
  const service = serviceWith()
    .on('PUT /courses/dd1/members/dd1-01', member('dd1-01'))
    .on('DELETE /courses/dd1/members/dd1-01/data', new Response(null, { status: 204 }));
  await show(<App />, service);
  window.location.hash = '#/courses/dd1/members';
  const put = () => bodies(service, 'PUT /courses/dd1/members/dd1-01');
  fireEvent.change(await screen.findByLabelText('Role of Ada Lovelace'), { target: { value: 'teacher' } });
  await waitFor(() => expect(put()).toEqual([{ role: 'teacher' }]));
  const choose = async (label: string) => {
    fireEvent.click(screen.getByRole('button', { name: 'Actions for Ada Lovelace' }));
    fireEvent.click(await screen.findByRole('menuitem', { name: label }));
  };
  await choose('Shares…');
  fireEvent.change(screen.getByLabelText('Minutes per day'), { target: { value: '90' } });
  fireEvent.click(screen.getByRole('button', { name: 'Save' }));
  await waitFor(() => expect(put()[1]).toEqual({ shares: { day_minutes: 90 } }));
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  await choose('Erase data');
  expect(bodies(service, 'DELETE /courses/dd1/members/dd1-01/data')).toHaveLength(0);
  fireEvent.click(within(await screen.findByRole('dialog')).getByRole('button', { name: 'Erase data' }));
  await waitFor(() => expect(bodies(service, 'DELETE /courses/dd1/members/dd1-01/data')).toHaveLength(1));
});

test('the course code is opened, and shown with its address', async () => {
  let code: string | null = null;
  const service = serviceWith()
    .on('GET /courses/dd1', () => course({ code }))
    .on('POST /courses/dd1/code', () => {
      code = 'K7QM';
      return { code, url: 'http://127.0.0.1:8000/#/course/K7QM' };
    });
  await open(service, 'members');
  fireEvent.click(await screen.findByRole('button', { name: 'Course code…' }));
  fireEvent.click(screen.getByRole('button', { name: 'Open the course' }));
  expect(await screen.findByRole('img', { name: 'QR code of the course' })).toBeTruthy();
  expect(screen.getByText('K7QM')).toBeTruthy();
});

test('an assignment is made from a design with the steps of its script', async () => {
  const design = {
    design_id: 'counter-v-00000000',
    owner: 'prof',
    name: 'counter.v',
    updated_at: '',
    documents: [],
    versions: 1,
    newest: null,
  };
  const service = serviceWith(course(), [])
    .on('GET /designs', [design])
    .on('GET /designs/counter-v-00000000/script', {
      steps: [{ op: 'read', says: 'Counts', address: 4, expect: [5] }],
    })
    .on('POST /courses/dd1/assignments', assignment());
  await open(service, 'assignments');
  fireEvent.click(await screen.findByRole('button', { name: 'Create an assignment' }));
  fireEvent.change(screen.getByLabelText('Title'), { target: { value: 'Counter' } });
  fireEvent.change(screen.getByLabelText('Text'), { target: { value: 'Make it **count**.' } });
  fireEvent.change(screen.getByLabelText('Deadline'), { target: { value: '2026-07-01T14:00' } });
  await screen.findByRole('option', { name: 'counter.v' });
  fireEvent.change(screen.getByLabelText('File to start from'), { target: { value: design.design_id } });
  fireEvent.click(screen.getByRole('button', { name: 'Take the steps of the script' }));
  expect(await screen.findByDisplayValue('Counts')).toBeTruthy();
  expect(screen.getByText('count').tagName).toBe('STRONG');
  fireEvent.change(screen.getByLabelText('Points of step 1'), { target: { value: '4' } });
  fireEvent.click(screen.getByLabelText('Students do not see step 1'));
  fireEvent.click(screen.getByRole('button', { name: 'Save' }));
  await waitFor(() => expect(bodies(service, 'POST /courses/dd1/assignments')).toHaveLength(1));
  expect(bodies(service, 'POST /courses/dd1/assignments')[0]).toEqual({
    title: 'Counter',
    text: 'Make it **count**.',
    deadline: '2026-07-01T12:00:00.000Z',
    attempts: null,
    published: true,
    template: { design_id: design.design_id },
    check: [
      {
        ...{ title: 'Counts', points: 4, hidden: true },
        steps: [{ op: 'read', says: 'Counts', address: 4, expect: [5] }],
      },
    ],
  });
});

test('an assignment that is edited keeps its template; a refusal stays with the form', async () => {
  const service = serviceWith().on(`PUT ${ASSIGNMENT}`, refusal(409, 'course_closed', 'The term is over.'));
  await open(service, 'assignments');
  fireEvent.click(await screen.findByRole('button', { name: 'Edit: Counter' }));
  fireEvent.change(screen.getByLabelText('Attempts'), { target: { value: '' } });
  fireEvent.click(screen.getByRole('button', { name: 'Save' }));
  expect(await screen.findByText(/The term is over/)).toBeTruthy();
  const [body] = bodies(service, `PUT ${ASSIGNMENT}`);
  expect(body).toMatchObject({ title: 'Counter', attempts: null, deadline: null });
  expect(body).not.toHaveProperty('template');
});

test('results have points by step, sort, and are graded again', async () => {
  const handIns = [handIn('dd1-01', 'Ada Lovelace'), handIn('dd1-02', 'Chen Wei', { grade: grade(2, 1) })];
  const service = serviceWith(course(), [assignment()], handIns)
    .on(`POST ${ASSIGNMENT}/grade`, { queued: 2 })
    .on(`GET ${ASSIGNMENT}/hand-ins/${handIns[0]?.hand_in_id}/source`, new Response('module counter;'));
  await open(service, 'results');
  const names = () => screen.getAllByRole('rowheader').map(({ textContent }) => textContent);
  await screen.findByRole('table', { name: 'Results' });
  expect(names()).toEqual(['Ada Lovelace', 'Chen Wei']);
  fireEvent.click(screen.getByRole('button', { name: 'Points' }));
  expect(names()).toEqual(['Chen Wei', 'Ada Lovelace']);
  expect(screen.getByRole('columnheader', { name: 'Points' }).getAttribute('aria-sort')).toBe('descending');
  fireEvent.click(screen.getByRole('button', { name: 'Ada Lovelace' }));
  expect(await screen.findByText('module counter;')).toBeTruthy();
  expect(screen.getByText('Read 1, not 0.')).toBeTruthy();
  fireEvent.click(screen.getByRole('button', { name: 'Grade all again' }));
  await waitFor(() => expect(bodies(service, `POST ${ASSIGNMENT}/grade`)).toEqual([{}]));
});

test('settings send only what changed; bookings and priority are for the operator', async () => {
  const view = course({ shares: { sessions: 1 } });
  const service = serviceWith(view).on('PUT /courses/dd1', view);
  const { client } = await open(service, 'settings');
  const save = await screen.findByRole('button', { name: 'Save' });
  expect(save).toHaveProperty('disabled', true);
  fireEvent.change(screen.getByLabelText('Minutes per session'), { target: { value: '45' } });
  fireEvent.change(screen.getByLabelText('Bookings'), { target: { value: 'someday' } });
  expect(save).toHaveProperty('disabled', true);
  fireEvent.change(screen.getByLabelText('Bookings'), { target: { value: 'monday 08:00-10:00 4' } });
  fireEvent.click(save);
  await waitFor(() =>
    expect(bodies(service, 'PUT /courses/dd1')).toEqual([
      {
        shares: { sessions: 1, session_minutes: 45 },
        bookings: [{ day: 'monday', from: '08:00', to: '10:00', nodes: 4 }],
      },
    ]),
  );
  client.status.setState({ status: status({ caller: { owner: 'prof', operator: false, key: true } }) });
  await waitFor(() => expect(screen.queryByRole('button', { name: 'Delete the course' })).toBeNull());
  expect(screen.getByLabelText('Priority').closest('fieldset')).toHaveProperty('disabled', true);
});

test('what is typed while settings are saved stays', async () => {
  let answer: (view: object) => void = () => {};
  const service = serviceWith().on('PUT /courses/dd1', () => new Promise((resolve) => (answer = resolve)));
  const { client } = await open(service, 'settings');
  const field = (label: string) => screen.getByLabelText<HTMLInputElement>(label);
  const save = await screen.findByRole('button', { name: 'Save' });
  fireEvent.change(field('Minutes per session'), { target: { value: '45' } });
  fireEvent.click(save);
  await waitFor(() => expect(bodies(service, 'PUT /courses/dd1')).toHaveLength(1));
  fireEvent.change(field('Priority'), { target: { value: '3' } });
  service.on('GET /courses/dd1', course({ shares: { session_minutes: 45 } }));
  answer(course());
  await waitFor(() => expect(client.toasts.getState().toasts).toHaveLength(1));
  expect(field('Priority').value).toBe('3');
  await waitFor(() => expect(field('Minutes per session').value).toBe('45'));
});

test('a student saves the own data, and leaves after a question', async () => {
  const service = serviceWith(student())
    .on('GET /courses/dd1/members/dd1-01/data', new Response('zip'))
    .on('DELETE /courses/dd1/members/dd1-01', new Response(null, { status: 204 }));
  await show(
    <>
      <CoursesScreen course="dd1" />
      <OpenDialog />
    </>,
    service,
  );
  fireEvent.click(await screen.findByRole('button', { name: 'Export my data' }));
  await waitFor(() => expect(bodies(service, 'GET /courses/dd1/members/dd1-01/data')).toHaveLength(1));
  fireEvent.click(screen.getByRole('button', { name: 'Leave the course' }));
  const question = await screen.findByRole('dialog', { name: 'Leave Digital design 1?' });
  expect(bodies(service, 'DELETE /courses/dd1/members/dd1-01')).toEqual([]);
  fireEvent.click(within(question).getByRole('button', { name: 'Leave the course' }));
  await waitFor(() => expect(bodies(service, 'DELETE /courses/dd1/members/dd1-01')).toHaveLength(1));
  await waitFor(() => expect(window.location.hash).toBe('#/courses'));
});

test('a student sees the own node, place and share, and calls the teacher', async () => {
  const service = serviceWith(student()).on('POST /courses/dd1/hand', new Response(null, { status: 204 }));
  service.nodes[2] = reserved(2, 'dd1-01');
  const { client } = await asStudent(service);
  expect(await screen.findByRole('link', { name: 'Node 2' })).toBeTruthy();
  expect(screen.getByText('40 minutes left today of 60')).toBeTruthy();
  const waiting = {
    ...job({ owner: 'dd1-01', status: 'queued' }),
    fpga_id: null,
    place: 3,
    expected_wait_s: 240,
  };
  client.jobs.setState({ unplaced: new Map([[waiting.job_id, waiting]]) });
  expect(await screen.findByText(/echo\.v waits, place 3 in line, about 4 min\./)).toBeTruthy();
  fireEvent.change(screen.getByLabelText('Your question (optional)'), { target: { value: 'Why?' } });
  fireEvent.click(screen.getByRole('button', { name: 'Raise hand' }));
  await waitFor(() => expect(bodies(service, 'POST /courses/dd1/hand')).toEqual([{ message: 'Why?' }]));
  expect(screen.queryByRole('tab')).toBeNull();
});

test('starting an assignment opens its file in the editor of an idle node', async () => {
  const service = serviceWith(student(), [assignment({ attempts: 3, handed_in: 1 })])
    .on(`POST ${ASSIGNMENT}/start`, { design_id: 'counter-v-00000000', filename: 'counter.v' })
    .on(`GET ${ASSIGNMENT}/template`, new Response('module counter; endmodule'));
  service.nodes = service.nodes.map(({ fpga_id: id }) => (id === 4 ? node(id) : reserved(id, 'bob')));
  await asStudent(service);
  expect(await screen.findByText(/1 of 3 attempts used/)).toBeTruthy();
  fireEvent.click(screen.getByRole('button', { name: 'Start: Counter' }));
  await waitFor(() => expect(window.location.hash).toBe('#/node/4/design'));
  expect(drafts.getState()[4]?.name).toBe('counter.v');
  drafts.setState({ 4: undefined });
});

test('the newest build is handed in once, and its grade is shown by step', async () => {
  const build = job({ owner: 'dd1-01', submit: { filename: 'counter.v', size: 10, options: {} } });
  const mine = handIn('dd1-01', 'Ada Lovelace', { job_id: build.job_id });
  let list: object[] = [];
  const service = serviceWith(student())
    .on(`GET ${ASSIGNMENT}/hand-ins`, () => list)
    .on(`POST ${ASSIGNMENT}/hand-ins`, () => {
      list = [mine];
      return mine;
    });
  const { client } = await asStudent(service);
  expect(await screen.findByText(/To hand in, build counter\.v/)).toBeTruthy();
  client.jobs.setState({ byId: new Map([[build.job_id, build]]) });
  fireEvent.click(await screen.findByRole('button', { name: 'Hand in: Counter' }));
  await waitFor(() => expect(screen.getByText('Handed in')).toHaveProperty('disabled', true));
  expect(bodies(service, `POST ${ASSIGNMENT}/hand-ins`)).toEqual([{ job_id: build.job_id }]);
  expect(screen.getByText('2 of 3')).toBeTruthy();
  expect(screen.getByText('Read 1, not 0.')).toBeTruthy();
});

test('an assignment that is over offers nothing', async () => {
  const over = assignment({ open: false, deadline: '2026-01-01T00:00:00.000Z' });
  await asStudent(serviceWith(student(), [over]));
  expect(await screen.findByText('The deadline has passed')).toBeTruthy();
  expect(screen.queryByRole('button', { name: /^(Start|Hand in)/ })).toBeNull();
});

test('the course code asks a name and signs in', async () => {
  let wrong = true;
  const service = serviceWith().on('POST /courses/join', () =>
    wrong
      ? refusal(401, 'invalid_course_code', 'This code does not belong to a course.')
      : { course_id: 'dd1', username: 'dd1-07', api_key: 'wbk_x', key: null },
  );
  const { client } = await show(<JoinCourse code="K7QM" />, service);
  fireEvent.change(screen.getByLabelText('Your name'), { target: { value: 'Zoë' } });
  fireEvent.click(screen.getByRole('button', { name: 'Join' }));
  expect(await screen.findByText(/This code does not belong to a course/)).toBeTruthy();
  wrong = false;
  fireEvent.click(screen.getByRole('button', { name: 'Join' }));
  await waitFor(() => expect(window.location.hash).toBe('#/courses/dd1'));
  expect(client.owner).toBe('dd1-07');
  expect(bodies(service, 'POST /courses/join')[1]).toEqual({ code: 'K7QM', name: 'Zoë' });
});
