import { afterAll, beforeAll, expect, test } from 'vitest';
import { Bench } from '../../../resources/clients/typescript/index.ts';
import { SOURCE, TestBench } from '../../support/api/test-bench.ts';
import { endPythons, runPython } from '../../support/clients/python.ts';
import { FakePortBlock } from '../../support/fake-port-block.ts';

let bench: TestBench;
beforeAll(async () => {
  bench = await TestBench.start();
});
afterAll(async () => {
  await endPythons();
  await bench.stop();
});

test('TypeScript: reads and sets pins, and writes single bytes of a word', async () => {
  bench.boards.board(1).portBlock = new FakePortBlock(16, 16, (inputs) => inputs, 0n);
  await bench.reserve(1, { 'X-API-Key': 'lab-1' }, `${SOURCE}// in sw 16\n// out led 16\n`);
  const node = await new Bench({ url: bench.url, key: 'lab-1' }).node(1);
  expect((await node.setPins({ sw: 0x12 })).map(({ name, value }) => [name, value])).toEqual([
    ['sw', 0x12],
    ['led', 0x12],
  ]);
  const masked = await node.setPins({ sw: { value: 0xff, mask: 0x0f00 } });
  expect(masked[0]).toMatchObject({ name: 'sw', value: 0x12 });
  await node.setPins({ sw: { value: 0x2, mask: 0x12 } });
  expect((await node.pins())[0]?.value).toBe(0x2);
  await node.setPins({ sw: { value: 0x10, mask: 0x10 } });
  expect((await node.pins())[0]).toMatchObject({ name: 'sw', direction: 'input', width: 16, value: 0x12 });
  await expect(node.setPins({ led: 1 })).rejects.toMatchObject({ code: 'pin_not_input' });
  expect(await node.terminal()).toBeUndefined();
  await node.write(0x44, 6, { select: 0b0001 });
  await expect(node.write(0x44, [1, 2], { select: 1 })).rejects.toMatchObject({ code: 'validation_error' });
  node.close();
});

test('Python: reads and sets pins; watchers see every action on a node', async () => {
  bench.boards.board(0).portBlock = new FakePortBlock(57, 16, (inputs) => inputs & 0xffffn, 0n);
  await bench.reserve(0, { 'X-API-Key': 'lab-1' }, `${SOURCE}// in sw 16\n// in wide 41\n// out led 16\n`);
  const { code, stdout, stderr } = await runPython(
    `import wishbench
lab = wishbench.Bench(key="lab-1")
node = lab.node(0)
print([(pin["name"], pin["direction"], pin["width"]) for pin in node.pins()])
print([pin["value"] for pin in node.set_pins(sw=0x12, wide=0x123456789)])
print([pin["value"] for pin in node.set_pins({"sw": 3})])
node.set_pins(wide={"value": 0x100000000, "mask": 0x1FFFFFFFF}, sw={"value": 0x8000, "mask": "0x8002"})
print([pin["value"] for pin in node.pins()])
node.set_pins({"sw": 3, "wide": 0x123456789})
for wrong in ({"led": 1}, {"sw": 0x10000}, {"nobody": 1}):
    try:
        node.set_pins(wrong)
    except wishbench.Refused as error:
        print(error.code)
watched = wishbench.Bench(key="lab-2").watch(0)
first = next(watched)
print(first["type"], first["owner"])
node.write(0x44, 5)
for message in watched:
    if any(one["address"] == 0x44 for one in message.get("transactions", [])):
        break
print(message["type"], message["transactions"][-1]["data"])
watched.close()
for wrong in (lambda: node.write(0x44, [1, 2], select=1), lambda: node.write(0x44, 1, select=16)):
    try:
        wrong()
    except ValueError as error:
        print(error)
node.write(0x44, 6, select=0b0001)
print(lab.jobs(node=0)[0].data["run"]["select"])
print(node.terminal())
try:
    node.send_to_terminal("x", baud=9600)
except wishbench.Refused as error:
    print(error.code)
node._drop_stream()
lab.close()
`,
    { url: bench.url },
  );
  expect([code, stdout.split('\n')], stderr).toEqual([
    0,
    [
      "[('sw', 'input', 16), ('wide', 'input', 41), ('led', 'output', 16)]",
      "[18, '0x123456789', 18]",
      "[3, '0x123456789', 3]",
      "[32769, '0x100000000', 32769]",
      'pin_not_input',
      'pin_too_wide',
      'pin_unknown',
      'session lab-1',
      'transactions [5]',
      'select needs one word and a value from 1 to 15.',
      'select needs one word and a value from 1 to 15.',
      '1',
      'None',
      'no_terminal',
      '',
    ],
  ]);
});
