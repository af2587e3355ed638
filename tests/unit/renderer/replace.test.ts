import { expect, test, vi } from 'vitest';
import { submitDraft } from '../../../renderer/src/state/drafts/submission.ts';
import { setNodes } from '../../../renderer/src/state/nodes/nodes.ts';
import { FakeService, fakeBench } from '../../support/renderer/fake-service.ts';
import { reserved, status, tenNodes, uuid } from '../../support/renderer/fixtures.ts';

test('a replace needs no confirmation, fetches the record first and preserves unexported transactions', async () => {
  const node = reserved(3, 'anonymous');
  const { service, client } = fakeBench(new FakeService());
  client.status.setState({ status: status() });
  setNodes(client.nodes, tenNodes({ 3: node }));
  service.on('GET /fpga/3/transactions', { fpga_id: 3, record: 'a', transactions: [], dropped: 0, polls: 0 });
  service.on('POST /fpga/3/submit', { job_id: uuid(), fpga_id: 3, status: 'queued' });
  client.unsaved.set(3, 2);
  const end = vi.fn();
  const files = [{ name: 'echo.v', contents: new TextEncoder().encode('module echo; endmodule') }];
  submitDraft(client, node, { files, options: {} } as never, { begin: () => {}, end });
  await vi.waitFor(() => expect(end).toHaveBeenCalledWith());
  expect(client.questions.getState().question).toBeUndefined();
  const asked = service.asked.map(({ method, path }) => `${method} ${path.split('?')[0]}`);
  expect(asked.slice(0, 2)).toEqual(['GET /fpga/3/transactions', 'POST /fpga/3/submit']);
  expect(client.unsavedTransactions(3)).toBe(2);
});
