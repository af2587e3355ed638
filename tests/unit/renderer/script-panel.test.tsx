import { fireEvent, screen, waitFor } from '@testing-library/react';
import { expect, test } from 'vitest';
import ScriptPanel from '../../../renderer/src/screens/node/registers/script/ScriptPanel.tsx';
import { FakeService } from '../../support/renderer/fake-service.ts';
import { reserved, tenNodes } from '../../support/renderer/fixtures.ts';
import { show } from '../../support/renderer/render.tsx';

test('steps typed while a script runs are not lost', async () => {
  const node = reserved(7, 'anonymous');
  const service = new FakeService();
  service.nodes = tenNodes({ 7: node });
  let answer: (report: object) => void = () => {};
  service.on('POST /fpga/7/script', () => new Promise((resolve) => (answer = resolve)));
  await show(<ScriptPanel node={node} design="echo" ready={true} map={undefined} />, service);
  fireEvent.click(await screen.findByRole('button', { name: 'Begin a script' }));
  const step = () => screen.getByLabelText<HTMLInputElement>('Step 1');
  fireEvent.change(step(), { target: { value: 'write 0x0 = 1' } });
  fireEvent.click(screen.getByRole('button', { name: 'Run' }));
  await waitFor(() => expect(service.asked.some(({ method }) => method === 'POST')).toBe(true));
  fireEvent.change(step(), { target: { value: 'write 0x0 = 2' } });
  answer({ passed: 1, failed: 0, skipped: 0, ms: 3, stopped: null, steps: [] });
  await screen.findByText(/1 passed, 0 failed/);
  expect(step().value).toBe('write 0x0 = 2');
});

test('a stored script that arrives late is not hidden by a new one', async () => {
  const design = {
    filename: 'late.v',
    build_id: 'ab'.repeat(32),
    module: 'late',
    design_id: 'late-v-00000000',
  };
  const node = reserved(7, 'anonymous', { design });
  const service = new FakeService();
  service.nodes = tenNodes({ 7: node });
  let answer: (script: object) => void = () => {};
  service.on('GET /designs/late-v-00000000/script', () => new Promise((resolve) => (answer = resolve)));
  await show(<ScriptPanel node={node} design="echo" ready={true} map={undefined} />, service);
  await waitFor(() => expect(service.asked.some(({ path }) => path.endsWith('/script'))).toBe(true));
  expect(screen.queryByRole('button', { name: 'Begin a script' })).toBeNull();
  answer({ steps: [{ op: 'write', address: 0, data: [1] }] });
  const step = await screen.findByLabelText<HTMLInputElement>('Step 1');
  expect(step.value).toBe('write 0x0 = 0x1');
});
