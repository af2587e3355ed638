import { afterEach, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { Bench } from '../../../resources/clients/typescript/index.ts';
import { know, OFTEN, start, state, stopAll } from '../../support/benches/several.ts';
import { runPython } from '../../support/clients/python.ts';

afterEach(stopAll);

/** Two benches that require keys, the second reached through the first, with one person's key at each. */
async function two() {
  const [a, b] = [await start(), await start()];
  const mint = async (bench: typeof a, owner: string) =>
    (await bench.post<{ api_key: string }>('/auth/keys', { json: { owner } })).body.api_key;
  const [keyA, keyB] = [await mint(a, 'ada'), await mint(b, 'ada-there')];
  await know(a, [{ name: 'b', address: b.url }]);
  await expect.poll(state(a, 'b'), OFTEN).toBe('live');
  await Promise.all([a, b].map((bench) => bench.bench.settings.apply({ auth: { enforcement: true } })));
  const jobs = async () =>
    (await b.client({ 'x-api-key': keyB }).listJobs()).map(({ type, status, owner }) => [
      type,
      status,
      owner,
    ]);
  return { a, keyA, keyB, url: `${a.url}/benches/b`, jobs };
}

test('TypeScript: reaches a node of a remote bench with one key per bench', async () => {
  const { a, keyA, keyB, url, jobs } = await two();
  const design = { name: 'regs.v', contents: 'module regs; endmodule\n' };
  const lab = new Bench({ url, key: keyA, benchKey: keyB, WebSocket });
  const node = await lab.program(design, { node: 3 });
  await node.write(0x10, [1, 2, 3]);
  expect(await node.read(0x10, 3)).toEqual([1, 2, 3]);
  await node.release();
  await expect
    .poll(jobs, OFTEN)
    .toEqual(expect.arrayContaining([['build_and_program', 'complete', 'ada-there']]));
  // A key belongs to one bench. Without a key for b, b gets a name that it does not know.
  await expect(new Bench({ url, key: keyA }).nodes()).rejects.toMatchObject({ status: 401 });
  await expect(new Bench({ url, key: keyB, benchKey: keyB }).nodes()).rejects.toMatchObject({ status: 401 });
  expect(() => new Bench({ url: a.url, key: keyA, benchKey: keyB })).toThrow('benchKey needs');
});

test('Python: reaches a node of a remote bench with one key per bench', async () => {
  const { a, keyA, keyB, url, jobs } = await two();
  const environment = { KEY_A: keyA, KEY_B: keyB, DIRECT: a.url, WISHBENCH_KEY: '' };
  const { code, stdout, stderr } = await runPython(
    `import os
import wishbench
a, b = os.environ["KEY_A"], os.environ["KEY_B"]
for transport in ("stream", "rest"):
    with wishbench.Bench(key=a, bench_key=b, transport=transport) as bench:
        with bench.program("regs.v", contents="module regs; endmodule\\n", node=3) as node:
            node.write(0x10, [1, 2, 3])
            print(transport, node.read(0x10, 3))
os.environ["WISHBENCH_BENCH_KEY"] = b
print(len(wishbench.Bench(key=a).nodes()))
del os.environ["WISHBENCH_BENCH_KEY"]
for keys in ({"key": a}, {"key": b, "bench_key": b}):
    try:
        wishbench.Bench(**keys).nodes()
    except wishbench.Refused as error:
        print(error.status)
try:
    wishbench.Bench(os.environ["DIRECT"], key=a, bench_key=b)
except ValueError as error:
    print(error)
`,
    { url, environment },
  );
  expect([code, stderr, stdout.split('\n')]).toEqual([
    0,
    '',
    [
      'stream [1, 2, 3]',
      'rest [1, 2, 3]',
      '10',
      '401',
      '401',
      'bench_key needs an address such as http://127.0.0.1:8000/benches/NAME.',
      '',
    ],
  ]);
  await expect.poll(jobs).toContainEqual(['reset', 'complete', 'ada-there']);
});
