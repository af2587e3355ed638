import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ImportedRegisterMap, RegisterMap } from '../../../../server/contract/designs/register-map.ts';
import { type Refusal, TestBench } from '../../../support/api/test-bench.ts';

let bench: TestBench;
let map: string;
const owner = { 'x-api-key': 'lab-1' };

beforeAll(async () => {
  bench = await TestBench.start();
  const file = {
    name: 'regs.v',
    contents: '// 0x00 CTRL rw control\n// 0x04 STATUS ro\nmodule regs; endmodule\n',
  };
  const client = bench.client(owner);
  const job = await client.jobEnded(await client.submitDesign({ fpga_id: 0, body: { file } }));
  map = `/designs/${job.design_id}/map`;
});
afterAll(() => bench.stop());

const MAP: RegisterMap = {
  name: 'regs',
  registers: [
    {
      name: 'CTRL',
      address: 0,
      access: 'rw',
      description: 'Control',
      reset: 2,
      fields: [{ name: 'EN', msb: 0, lsb: 0, access: 'ro', values: { '0': 'off', '1': 'run' } }],
    },
    { name: 'TABLE', address: 16, words: 4, width: 8, access: 'ro', fields: [] },
  ],
};

test.each([
  ['svd', 'application/xml'],
  ['ipxact', 'application/xml'],
  ['csv', 'text/csv'],
  ['csr.csv', 'text/csv'],
  ['csr.json', 'text/plain'],
  ['json', 'application/json'],
])('a map exported as %s can be imported again', async (format, type) => {
  await bench.put(map, { json: MAP });
  const out = await bench.get<string | RegisterMap>(`${map}?format=${format}`);
  expect(out.headers.get('content-type')).toBe(`${type}; charset=utf-8`);
  const body = typeof out.body === 'string' ? out.body : JSON.stringify(out.body);
  for (const [query, sent] of [
    [`?format=${format}`, 'text/plain'],
    [`?format=${format}`, 'application/json'],
    ['', 'text/plain'],
  ]) {
    await bench.delete(map);
    const again = await bench.put<RegisterMap>(map + query, {
      body,
      headers: { 'content-type': sent ?? '' },
    });
    expect([again.status, again.body.registers.map(({ address }) => address)]).toEqual([200, [0, 16]]);
    expect((await bench.get(map)).body).toEqual(again.body);
  }
});

test('an invalid file is reported by line, and the previous map stays', async () => {
  await bench.put(map, { json: MAP });
  const headers = { 'content-type': 'text/csv' };
  const refused = await bench.put<Refusal>(map, { body: 'register,address\nA,0\nB,2\n', headers });
  expect(refused.status).toBe(422);
  expect(refused.body.detail.message).toContain('line 3: the address of B, 0x2, is not a multiple of 4');
  const bomb = '<!DOCTYPE a [<!ENTITY b "c">]><device>&b;</device>';
  const xml = await bench.put<Refusal>(map, { body: bomb, headers: { 'content-type': 'application/xml' } });
  expect([xml.status, xml.body.detail.error]).toEqual([422, 'validation_error']);
  const text = { 'content-type': 'text/plain' };
  for (const [query, body] of [
    ['', 'words'],
    ['?format=csr.json', '{"name": 1}'],
    ['?format=json', '{"name": "a"}'],
    ['?format=json', `${'['.repeat(100)}${']'.repeat(100)}`],
    ['?format=xyz', 'a,b'],
  ] as const)
    expect((await bench.put(map + query, { body, headers: text })).status).toBe(422);
  expect((await bench.put(map, { body: 'a', headers: { 'content-type': 'image/png' } })).status).toBe(415);
  expect((await bench.get(map)).body).toEqual(MAP);
});

test('unsupported elements of a file are reported by line and not stored', async () => {
  const registers =
    '\n<register><name>A</name><addressOffset>0</addressOffset><readAction>clear</readAction></register>';
  const body = `<device><name>d</name><peripherals><peripheral><name>p</name><baseAddress>0</baseAddress><registers>${registers}</registers></peripheral></peripherals></device>`;
  const put = await bench.put<ImportedRegisterMap>(map, {
    body,
    headers: { 'content-type': 'application/xml' },
  });
  const kept = { name: 'd', registers: [{ name: 'A', address: 0, access: 'rw', fields: [] }] };
  expect([put.status, put.body]).toEqual([
    200,
    {
      ...kept,
      warnings: [
        {
          loc: ['body', 'line 2'],
          msg: 'p.A: readAction is not in the map: a read changes the register, and so does the read before a field is written; write the whole word',
          type: 'not_read',
        },
      ],
    },
  ]);
  expect((await bench.get(map)).body).toEqual(kept);
});

test('the source yields the registers missing in the map', async () => {
  await bench.delete(map);
  const proposal = `${map}/proposal`;
  const { body } = await bench.get<RegisterMap>(proposal);
  expect(body).toEqual({
    name: 'regs',
    registers: [
      {
        name: 'CTRL',
        address: 0,
        access: 'rw',
        description: 'control',
        fields: [],
        source: { file: 'regs.v', line: 1 },
        proposed: true,
      },
      {
        name: 'STATUS',
        address: 4,
        access: 'ro',
        fields: [],
        source: { file: 'regs.v', line: 2 },
        proposed: true,
      },
    ],
  });
  await bench.put(map, { json: { ...MAP, dismissed: [] } });
  expect((await bench.get<RegisterMap>(proposal)).body.registers.map(({ name }) => name)).toEqual(['STATUS']);
  await bench.put(map, { json: { ...MAP, dismissed: [4] } });
  expect((await bench.get<RegisterMap>(proposal)).body.registers).toEqual([]);
  expect((await bench.get('/designs/none-v-00000000/map/proposal')).status).toBe(404);
});
