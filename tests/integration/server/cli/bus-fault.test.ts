import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeError } from '../../../../server/cli/describe-error.ts';
import { createClient } from '../../../../server/contract/client/client.ts';
import { JobFailedError } from '../../../../server/contract/client/failed-job.ts';
import { transact } from '../../../../server/contract/client/work.ts';
import { TestBench } from '../../../support/api/test-bench.ts';
import { FAKE_HOLE } from '../../../support/fake-board.ts';

let bench: TestBench;
beforeAll(async () => {
  bench = await TestBench.start();
  await bench.reserve(0);
});
afterAll(() => bench.stop());

test('reports an unresponsive design in one sentence with its address', async () => {
  const client = createClient({ base: bench.url });
  const error = await transact(client, 0, { op: 2, address: FAKE_HOLE }).catch((failure: unknown) => failure);
  expect(error).toBeInstanceOf(JobFailedError);
  const fault = 'Bus fault at byte address 0x8000_0000: no acknowledge from the design.';
  expect(describeError(error, false)).toEqual({
    text: expect.stringMatching(new RegExp(`^(\\[.*\\n)*${fault}$`)),
    code: 1,
  });
  expect(describeError(error, false).text.match(/acknowledge/g)).toHaveLength(1);
  const { detail } = JSON.parse(describeError(error, true).text) as { detail: object };
  expect(detail).toMatchObject({ error: 'no_acknowledge', message: fault });
});
