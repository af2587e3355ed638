import { expect, test, vi } from 'vitest';
import { transact } from '../../../renderer/src/state/registers/transact.ts';
import { fakeBench, refusal } from '../../support/renderer/fake-service.ts';

test('without a stream, runs reach the service in their order', async () => {
  const { service, client } = fakeBench();
  const answers: ((response: Response) => void)[] = [];
  service.on('POST /fpga/7/run', () => new Promise((resolve) => answers.push(resolve)));
  const words = () =>
    service.asked.flatMap(({ method, body }) => (method === 'POST' ? (body as { data: number[] }).data : []));
  const write = (word: number) =>
    transact(client, 7, { op: 1, address: 0, data: [word] }).catch(() => 'refused');
  const written = [write(1), write(2), write(3)];
  await vi.waitFor(() => expect(words()).toEqual([1]));
  for (const sent of [
    [1, 2],
    [1, 2, 3],
  ]) {
    answers.shift()?.(refusal(409, 'fpga_not_reserved', 'This node is not reserved.'));
    await vi.waitFor(() => expect(words()).toEqual(sent));
  }
  answers.shift()?.(refusal(409, 'fpga_not_reserved', 'This node is not reserved.'));
  expect(await Promise.all(written)).toEqual(['refused', 'refused', 'refused']);
});
