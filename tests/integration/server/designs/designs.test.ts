import { afterAll, beforeAll, expect, test } from 'vitest';
import type { DesignDetails, DesignSummary } from '../../../../server/contract/designs/designs.ts';
import type { RegisterMap } from '../../../../server/contract/designs/register-map.ts';
import type { RecordedScript, Script, ScriptReport } from '../../../../server/contract/jobs/scripts.ts';
import { designIdOf } from '../../../../server/jobs/design-id.ts';
import { type Refusal, SOURCE, TestBench } from '../../../support/api/test-bench.ts';

let bench: TestBench;
beforeAll(async () => {
  bench = await TestBench.start();
});
afterAll(() => bench.stop());

const lab = { 'x-api-key': 'lab-1' };
const SCRIPT: Script = {
  says: 'A word comes back.',
  steps: [
    { op: 'write', says: 'Write it', address: 0, data: [7] },
    { op: 'read', says: 'Read it', address: 0, expect: [7] },
  ],
};

test('a build becomes a version of its owner’s design of that file', async () => {
  const first = await bench.reserve(0, lab);
  const id = designIdOf('lab-1', 'design.v');
  expect(first.design_id).toBe(id);
  expect(id).toMatch(/^design-v-[0-9a-f]{8}$/);
  const { body } = await bench.get<DesignDetails>(`/designs/${id}`);
  expect(body).toMatchObject({ design_id: id, owner: 'lab-1', name: 'design.v', documents: [] });
  expect(body.versions).toHaveLength(1);
  expect(body.versions[0]).toMatchObject({ job_id: first.job_id, ok: true, before: null, script: null });
  expect((await bench.client().getNodeDetails({ fpga_id: 0 })).design?.design_id).toBe(id);
  const source = await bench.get<string>(`/designs/${id}/versions/${first.job_id}/source`);
  expect(source.body).toBe(SOURCE);
  await bench.post('/fpga/0/session/release', { headers: lab });
});

test('a stored script runs on each build before the session, and its result is on the job', async () => {
  const id = designIdOf('lab-1', 'design.v');
  const kept = await bench.put(`/designs/${id}/script`, { json: SCRIPT });
  expect([kept.status, kept.body]).toEqual([200, SCRIPT]);
  const job = await bench.reserve(1, lab);
  expect(job).toMatchObject({ status: 'complete', script: { passed: 2, failed: 0, skipped: 0 } });
  const report = await bench.get<ScriptReport>(`/fpga/1/jobs/${job.job_id}/script`);
  expect(report.body.steps.map(({ says, ok }) => [says, ok])).toEqual([
    ['Write it', true],
    ['Read it', true],
  ]);
  const xml = await bench.get<string>(`/fpga/1/jobs/${job.job_id}/script?format=junit`);
  expect(xml.headers.get('content-type')).toBe('application/xml; charset=utf-8');
  expect(xml.body).toContain('<testsuite name="design.v" tests="2" failures="0"');
  const { body } = await bench.get<DesignDetails>(`/designs/${id}`);
  expect(body.documents).toEqual(['script']);
  expect(body.versions[0]).toMatchObject({ script: { passed: 2 }, before: { fmax: body.versions[1]?.fmax } });
});

test('a script that fails does not fail the build', async () => {
  const id = designIdOf('lab-1', 'design.v');
  await bench.put(`/designs/${id}/script`, {
    json: { steps: [{ op: 'read', address: 0, expect: [1234] }] },
  });
  const job = await bench.reserve(2, lab);
  expect(job).toMatchObject({ status: 'complete', ok: true, script: { passed: 0, failed: 1 } });
  expect((await bench.delete(`/designs/${id}/script`)).status).toBe(204);
  expect((await bench.get(`/designs/${id}/script`)).status).toBe(204);
});

test('a script runs on a node, and the recorded activity becomes a script', async () => {
  const answer = await bench.post<ScriptReport>('/fpga/1/script', { json: { script: SCRIPT } });
  expect(answer.body).toMatchObject({ passed: 2, failed: 0, skipped: 0, stopped: null });
  await bench.run(1, { op: 1, address: 16, data: [1, 2, 3] });
  await bench.run(1, { op: 2, address: 16, count: 3 });
  const { body } = await bench.get<RecordedScript>('/fpga/1/script');
  expect(body).toEqual({
    script: {
      steps: [
        { op: 'write', address: 16, data: [1, 2, 3] },
        { op: 'read', address: 16, expect: [1, 2, 3] },
      ],
    },
    skipped: 0,
    reads: [
      {
        step: [1],
        words: [1, 2, 3].map((value) => ({
          value,
          reads: 1,
          min: value,
          max: value,
          stable: 0xffff_ffff,
          proposal: 'expected',
        })),
      },
    ],
  });
  const again = await bench.post<ScriptReport>('/fpga/1/script', { json: { script: body.script } });
  expect(again.body).toMatchObject({ passed: 2, failed: 0 });
  const vias = (await bench.client().listTransactions({ fpga_id: 1 })).transactions.map(({ via }) => via);
  expect(vias).toEqual(['script', 'script', 'run', 'run', 'script', 'script']);
});

test('a stored script is returned unchanged, whatever it expects', async () => {
  const id = designIdOf('lab-1', 'design.v');
  const script: Script = {
    says: 'All there is',
    stop_on_failure: true,
    limit_ms: 1000,
    steps: [
      {
        op: 'read',
        address: 0,
        count: 6,
        expect: [null, 1, { mask: 1, value: 1 }, { min: 0, max: 9 }, { save_as: 'a' }, { saved: 'a' }],
      },
      { op: 'write', address: 4, data: [1, { saved: 'a' }], fixed_address: true, fails: false },
      { op: 'wait', address: 0, mask: 1, value: 1, timeout_ms: 5, every_ms: 1 },
      {
        op: 'repeat',
        says: 'outer',
        times: 2,
        steps: [{ op: 'repeat', times: 1, steps: [{ op: 'delay', ms: 0 }] }],
      },
      { op: 'comment', says: 'end' },
    ],
  };
  expect((await bench.put(`/designs/${id}/script`, { json: script })).body).toEqual(script);
  expect((await bench.get(`/designs/${id}/script`)).body).toEqual(script);
  await bench.delete(`/designs/${id}/script`);
});

test('designs are listed by owner', async () => {
  const mine = await bench.get<DesignSummary[]>('/designs', { headers: lab });
  expect(mine.body.map(({ owner, versions }) => [owner, versions])).toEqual([['lab-1', 3]]);
  expect((await bench.get<DesignSummary[]>('/designs?owner=nobody')).body).toEqual([]);
  expect((await bench.get<DesignSummary[]>('/designs?owner=*')).body).toHaveLength(1);
});

const MAP: RegisterMap = {
  name: 'Echo',
  registers: [
    { name: 'CTRL', address: 0, access: 'rw', fields: [{ name: 'EN', msb: 0, lsb: 0 }] },
    { name: 'STATUS word', address: 4, access: 'ro', fields: [] },
    { name: 'status_word', address: 8, access: 'wo', fields: [] },
  ],
};

test('the stored register map of a design is in the csr.csv of a node that runs it', async () => {
  const job = await bench.reserve(4, { 'x-api-key': 'lab-2' });
  const map = `/designs/${job.design_id}/map`;
  expect((await bench.get<Refusal>(map)).body.detail.error).toBe('no_register_map');
  expect((await bench.get<string>('/fpga/4/csr.csv')).body).not.toContain('design_ctrl');
  const kept = await bench.put(map, { json: MAP });
  expect([kept.status, kept.body]).toEqual([200, MAP]);
  expect((await bench.get(map)).body).toEqual(MAP);
  const rows = (await bench.get<string>('/fpga/4/csr.csv')).body.split('\n');
  expect(rows).toContain('csr_base,design,0x00000000,,');
  expect(rows).toContain('csr_register,design_ctrl,0x00000000,1,rw');
  expect(rows).toContain('csr_register,design_status_word,0x00000004,1,ro');
  // Two names that LiteX would confuse.
  expect(rows).toContain('csr_register,design_status_word_8,0x00000008,1,rw');
  expect((await bench.delete(map)).status).toBe(204);
  expect((await bench.get<string>('/fpga/4/csr.csv')).body).not.toContain('design_ctrl');
  await bench.post('/fpga/4/session/release', { headers: { 'x-api-key': 'lab-2' } });
});

test.each([
  ['a name twice', [{ name: 'A' }, { name: 'a', address: 4 }], ['body', 'registers', 1, 'name']],
  ['an address twice', [{ name: 'A' }, { name: 'B' }], ['body', 'registers', 1, 'address']],
  [
    'fields that overlap',
    [
      {
        name: 'A',
        fields: [
          { name: 'X', msb: 31, lsb: 4 },
          { name: 'Y', msb: 4, lsb: 0 },
        ],
      },
    ],
    ['body', 'registers', 0, 'fields', 1],
  ],
  [
    'a field from its end',
    [{ name: 'A', fields: [{ name: 'X', msb: 0, lsb: 4 }] }],
    ['body', 'registers', 0, 'fields', 0, 'msb'],
  ],
])('a map with %s is refused, and the previous one stays', async (_, registers, place) => {
  const id = designIdOf('lab-1', 'design.v');
  await bench.put(`/designs/${id}/map`, { json: MAP });
  const json = {
    name: 'M',
    registers: registers.map((one) => ({ address: 0, access: 'rw', fields: [], ...one })),
  };
  const refused = await bench.put<Refusal>(`/designs/${id}/map`, { json });
  expect(refused.status).toBe(422);
  expect(refused.body.detail.errors?.[0]?.loc).toEqual(place);
  expect((await bench.get(`/designs/${id}/map`)).body).toEqual(MAP);
});
