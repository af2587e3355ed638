import { fireEvent, screen, waitFor } from '@testing-library/react';
import { expect, test } from 'vitest';
import AuditScreen from '../../../renderer/src/screens/audit/AuditScreen.tsx';
import type { AuditEntry, AuditPage } from '../../../server/contract/bench/audit.ts';
import { FakeService, refusal } from '../../support/renderer/fake-service.ts';
import { show } from '../../support/renderer/render.tsx';

const entry = (seq: number, more: Partial<AuditEntry> = {}): AuditEntry => ({
  seq,
  time: '2026-01-01T00:00:00.000Z',
  action: 'run',
  owner: 'lab-1',
  from: '192.0.2.7',
  operator: false,
  fpga_id: 3,
  job_id: null,
  done: true,
  code: null,
  times: 1,
  request_id: 'req-1',
  details: { op: 'write', first: '0x00000010', last: '0x00000018', words: 3 },
  ...more,
});

const chain = { intact: true, problem: null, first: 1, last: 2, head: 'ab'.repeat(32) };
const page = (...entries: AuditEntry[]): AuditPage => ({ entries, more: false, chain });

test('shows the audit records and queries with the chosen filters', async () => {
  const service = new FakeService().on(
    'GET /audit',
    page(
      entry(2, {
        action: 'settings',
        done: false,
        code: 'operator_only',
        fpga_id: null,
        times: 4,
        details: {},
      }),
      entry(1),
    ),
  );
  show(<AuditScreen />, service);
  expect(await screen.findByText('operator_only · 4 times')).toBeTruthy();
  expect(screen.getByText('Write 3 words from 0x00000010 to 0x00000018')).toBeTruthy();
  expect(screen.getByText('Log verified')).toBeTruthy();
  fireEvent.change(screen.getByLabelText('Owner'), { target: { value: 'ci' } });
  fireEvent.change(screen.getByLabelText('Action'), { target: { value: 'reset' } });
  await waitFor(() => expect(service.asked.at(-1)?.path).toBe('/audit?limit=100&owner=ci&action=reset'));
});

test('a broken chain is reported with its location', async () => {
  const broken = {
    ...chain,
    intact: false,
    problem: 'audit/000000000001.jsonl: line 4 (entry 3) was changed',
  };
  const service = new FakeService().on('GET /audit', page(entry(1))).on('POST /audit/verify', broken);
  show(<AuditScreen />, service);
  fireEvent.click(await screen.findByRole('button', { name: 'Verify the log' }));
  expect(await screen.findByText(/line 4 \(entry 3\) was changed/)).toBeTruthy();
  expect(screen.getByText('Log damaged')).toBeTruthy();
});

test('a caller without permission sees why', async () => {
  const service = new FakeService().on('GET /audit', refusal(403, 'operator_only', 'Only the operator may.'));
  show(<AuditScreen />, service);
  expect(await screen.findByText('Only the operator may.')).toBeTruthy();
});
