import fc from 'fast-check';
import { expect, test } from 'vitest';
import { JOB_STATUSES, JOB_TYPES } from '../../../../server/contract/jobs/jobs.ts';
import { FPGA_STATES } from '../../../../server/contract/nodes/nodes.ts';
import { emptyBench, emptyNode, formatBench, parseBench } from '../../../../server/store/bench-data.ts';
import {
  isStoredJob,
  isStoredNode,
  type StoredJob,
  type StoredUnplacedJob,
} from '../../../../server/store/records.ts';

const uuid = fc.uuid();
const time = fc
  .date({ min: new Date('2000-01-01'), max: new Date('2100-01-01'), noInvalidDate: true })
  .map((date) => date.toISOString());
const diagnostic = fc.record(
  {
    severity: fc.constantFrom('error' as const, 'warning' as const, 'info' as const),
    code: fc.string(),
    message: fc.string(),
    file: fc.string(),
    line: fc.integer({ min: 1 }),
  },
  { requiredKeys: ['severity', 'code', 'message'] },
);
const failure = fc.record(
  { error: fc.string(), message: fc.string(), remedy: fc.string(), diagnostics: fc.array(diagnostic) },
  { requiredKeys: ['error', 'message', 'remedy'] },
);
const storedJob: fc.Arbitrary<StoredJob> = fc.record(
  {
    job: fc.record(
      {
        job_id: uuid,
        fpga_id: fc.integer({ min: 0, max: 9 }),
        type: fc.constantFrom(...JOB_TYPES),
        status: fc.constantFrom(...JOB_STATUSES),
        created_at: time,
        updated_at: time,
        owner: fc.string(),
        failure,
        run: fc.record({
          op: fc.constantFrom(1 as const, 2 as const),
          address: fc.integer({ min: 0, max: 0x3fff_ffff }).map((word) => word * 4),
          count: fc.nat(),
          fixed_address: fc.boolean(),
        }),
      },
      { requiredKeys: ['job_id', 'fpga_id', 'type', 'status', 'created_at', 'updated_at', 'owner'] },
    ),
    seq: fc.nat(),
    data: fc.base64String(),
  },
  { requiredKeys: ['job', 'seq'] },
);
const node = (fpgaId: number) =>
  fc.record({
    fpga_id: fc.constant(fpgaId),
    state: fc.constantFrom(...FPGA_STATES),
    session: fc.option(
      fc.record({ session_id: uuid, fpga_id: fc.constant(fpgaId), owner: fc.string(), expires_at: time }),
    ),
    error: fc.option(failure),
    design: fc.record({
      filename: fc.string(),
      build_id: fc.stringMatching(/^[0-9a-f]{64}$/),
      module: fc.string(),
      job_id: uuid,
      board: fc.string(),
    }),
  });
const unplacedJob = fc.record({
  job: fc.record({
    job_id: uuid,
    fpga_id: fc.constant(null),
    type: fc.constant('build_and_program' as const),
    status: fc.constantFrom('queued' as const, 'cancelled' as const),
    created_at: time,
    updated_at: time,
    owner: fc.string(),
    submit: fc.record({ filename: fc.string(), size: fc.nat(), options: fc.constant({}) }),
  }),
  seq: fc.nat(),
});
const bench = fc
  .tuple(
    fc.tuple(...Array.from({ length: 10 }, (_, i) => node(i))),
    fc.array(storedJob, { maxLength: 20 }),
    fc.array(unplacedJob, { maxLength: 5 }),
  )
  .map(([nodes, jobs, unplaced]) => ({
    nodes,
    jobs: new Map(jobs.map((one) => [one.job.job_id, one])),
    unplaced: new Map(unplaced.map((one) => [one.job.job_id, one])),
    activity: [],
    seq: 2 ** 40,
  }));

test('any data is read back as written', () => {
  fc.assert(
    fc.property(bench, (data) => {
      expect(parseBench(formatBench(data))).toEqual({ kind: 'whole', data });
    }),
    { numRuns: 200 },
  );
});

test('any file content yields ten valid nodes or is reported as damaged', () => {
  fc.assert(
    fc.property(bench, fc.nat(), fc.nat({ max: 255 }), (data, place, byte) => {
      const bytes = Buffer.from(formatBench(data));
      bytes[place % bytes.length] = byte;
      const parsed = parseBench(bytes.toString('utf8'));
      if (parsed.kind !== 'whole' && parsed.kind !== 'partial') return;
      expect(parsed.data.nodes.map(({ fpga_id }) => fpga_id)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
      for (const one of parsed.data.nodes) expect(FPGA_STATES).toContain(one.state);
      for (const [id, { job }] of parsed.data.jobs) expect(job.job_id).toBe(id);
    }),
    { numRuns: 500 },
  );
  for (const text of [
    '',
    'null',
    '[]',
    '"text"',
    '{}',
    '{"schema":"1"}',
    '{"schema":1}',
    '{"schema":1,"nodes":{},"jobs":[]}',
  ])
    expect(parseBench(text)).toEqual({ kind: 'damaged' });
});

const job = {
  job_id: '7b0e1a52-6f1f-4a57-9d0c-3b1c6a7d2e10',
  fpga_id: 4,
  type: 'build_and_program',
  status: 'failed',
  created_at: '2024-03-01T12:00:00.000Z',
  updated_at: '2024-03-01T12:00:01.000Z',
  owner: 'alice',
  stage: 'synthesis',
  submit: { filename: 'echo.v', size: 12, options: { ties: { irq: 0 } } },
};

test('records of an earlier version and of a later one are accepted', () => {
  const failure = { error: 'syntax_error', message: 'It is wrong.', remedy: 'Mend it.' };
  expect(isStoredJob({ job: { ...job, failure }, seq: 1 })).toBe(true);
  expect(isStoredJob({ job: { ...job, unknown: [1] }, seq: 1, more: {} })).toBe(true);
  expect(isStoredNode({ ...emptyNode(4), state: 'error', error: failure })).toBe(true);
  expect(isStoredNode({ ...emptyNode(4), unknown: null })).toBe(true);
});

test.each([
  ['job_id', '../../etc/passwd'],
  ['fpga_id', 10],
  ['type', 'destroy'],
  ['status', 'ended'],
  ['stage', 'lunch'],
  ['created_at', 'yesterday'],
  ['updated_at', { no: 'such thing' }],
  ['owner', undefined],
  ['run', { op: 2, address: 2, count: 1, fixed_address: false }],
  ['run', { op: 2, address: -4, count: 1, fixed_address: false }],
  ['run', { op: 3, address: 0, count: 1, fixed_address: false }],
  ['run', { op: 1, address: 0, count: -1, fixed_address: false }],
  ['submit', { filename: 'echo.v', size: 'much', options: {} }],
  ['failure', { error: 'x', message: 'y' }],
  ['failure', { error: 'x', message: 'y', remedy: 'z', diagnostics: [{ line: 1 }] }],
  ['build_id', '../../../etc/passwd'],
])('a record whose %s is %j is lost without the others', (field, value) => {
  expect(isStoredJob({ job, seq: 1 })).toBe(true);
  const records = [
    { job, seq: 1 },
    { job: { ...job, job_id: '11111111-6f1f-4a57-9d0c-3b1c6a7d2e10', [field]: value }, seq: 2 },
  ];
  const file = { schema: 1, seq: 2, nodes: emptyBench().nodes, jobs: records };
  const parsed = parseBench(JSON.stringify(file));
  expect(parsed).toMatchObject({ kind: 'partial', lost: '1 of its jobs' });
  expect(parsed.kind === 'partial' && [...parsed.data.jobs.keys()]).toEqual([job.job_id]);
});

test('a reserved node without its design is lost', () => {
  const data = emptyBench();
  data.nodes[2] = { ...emptyNode(2), state: 'reserved' };
  const parsed = parseBench(formatBench(data));
  expect(parsed).toMatchObject({ kind: 'partial', lost: 'node 2' });
});

test('a session of version 1 gets its time from the end that it had; one without an end is lost', () => {
  const design = { filename: 'a.v', build_id: 'ab'.repeat(32), module: 'a', job_id: job.job_id, board: 'b' };
  const reserved = (fpga_id: number, expires_at: string) => ({
    ...{ fpga_id, state: 'reserved', error: null, design },
    session: { session_id: job.job_id, fpga_id, owner: 'alice', expires_at },
  });
  const { nodes } = emptyBench();
  const old = [reserved(0, '2024-03-01T13:00:00.000Z'), reserved(1, 'soon'), null, ...nodes.slice(2)];
  const parsed = parseBench(JSON.stringify({ schema: 1, nodes: old, jobs: [], seq: 3 }));
  expect(parsed).toMatchObject({ kind: 'partial', lost: 'node 1' });
  expect('data' in parsed && parsed.data.nodes[0]?.lease).toEqual({
    ...{ left_ms: 3_600_000, at: '2024-03-01T12:00:00.000Z', boot: null, uptime_ms: 0 },
  });
});

test('what cannot be read comes from the previous generation, without what the file has itself', () => {
  const id = (n: number) => `${n}`.repeat(8) + job.job_id.slice(8);
  const placed = (n: number) => ({ job: { ...job, job_id: id(n) }, seq: n }) as StoredJob;
  const waiting = (n: number) =>
    ({
      job: { ...job, job_id: id(n), fpga_id: null, status: 'queued' },
      seq: n,
    }) as unknown as StoredUnplacedJob;
  const bench = (jobs: StoredJob[], unplaced: StoredUnplacedJob[]) => ({
    ...emptyBench(),
    seq: 9,
    jobs: new Map(jobs.map((one) => [one.job.job_id, one])),
    unplaced: new Map(unplaced.map((one) => [one.job.job_id, one])),
  });
  const previous = formatBench(
    bench([placed(1), placed(2), placed(3)], [waiting(4), waiting(5), waiting(6)]),
  );
  // Since then job 4 got a node, and the lines of jobs 2 and 5 broke.
  const now = formatBench(bench([placed(1), placed(2), placed(4)], [waiting(5), waiting(6)]));
  const text = now.replace(`"job_id":"${id(2)}"`, '"job_id":2').replace(`"job_id":"${id(5)}"`, '"job_id":5');
  const parsed = parseBench(text, previous);
  expect(parsed).toMatchObject({ kind: 'partial', lost: '2 of its jobs', replaced: '3 jobs' });
  if (parsed.kind !== 'partial') return;
  expect([...parsed.data.jobs.keys()].sort()).toEqual([1, 2, 3, 4].map(id));
  expect([...parsed.data.unplaced.keys()].sort()).toEqual([5, 6].map(id));
  // A previous generation that cannot be read either has nothing.
  for (const before of ['', '{}', formatBench(emptyBench()).replace('"schema":2', '"schema":3')])
    expect(parseBench(text, before)).toMatchObject({ kind: 'partial', replaced: '' });
});

test('a file of an earlier version is migrated step by step; one of a later version is refused', () => {
  const old = { schema: 1, nodes: emptyBench().nodes, jobs: [], seq: 3 };
  const steps: number[] = [];
  const migrations = {
    1: (file: Record<string, unknown>) => {
      steps.push(1);
      return { ...file, seq: Number(file['seq']) + 1 };
    },
    2: (file: Record<string, unknown>) => {
      steps.push(2);
      return { ...file, seq: Number(file['seq']) * 10 };
    },
  };
  const parsed = parseBench(JSON.stringify(old), null, migrations, 3);
  expect(steps).toEqual([1, 2]);
  expect(parsed).toMatchObject({ kind: 'whole', data: { seq: 40 } });
  expect(parseBench(JSON.stringify({ ...old, schema: 4 }), null, migrations, 3)).toEqual({
    kind: 'too_new',
    version: 4,
  });
  expect(parseBench(JSON.stringify({ ...old, schema: 0 }), null, migrations, 3)).toEqual({ kind: 'damaged' });
});
