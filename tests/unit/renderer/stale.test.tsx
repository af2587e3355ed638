import { expect, test } from 'vitest';
import { mergeStatus } from '../../../renderer/src/state/bench/status.ts';
import { followStale } from '../../../renderer/src/state/registers/stale.ts';
import { lastValuesOf, recordWords } from '../../../renderer/src/state/samples/samples.ts';
import { fakeBench } from '../../support/renderer/fake-service.ts';
import { status, tenNodes } from '../../support/renderer/fixtures.ts';

const isStale = (node: number) => lastValuesOf(node).get(0)?.stale;

test('a service restart makes values stale, the first known start time does not', () => {
  const { client } = fakeBench();
  followStale(client);
  const { started_at: _startedAt, ...shared } = status();
  const startedAt = (started_at: string) => ({ ...shared, started_at });
  mergeStatus(client.status, shared);
  client.nodes.setState({ nodes: tenNodes() });
  recordWords(3, 0, [7], false, 1);
  mergeStatus(client.status, startedAt('2026-01-01T00:00:00.000Z'));
  expect(isStale(3)).toBe(false);
  mergeStatus(client.status, startedAt('2026-01-02T00:00:00.000Z'));
  expect(isStale(3)).toBe(true);
});
