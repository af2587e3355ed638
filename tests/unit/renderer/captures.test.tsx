import { act, screen } from '@testing-library/react';
import { expect, test } from 'vitest';
import {
  type Captures,
  useCaptures,
} from '../../../renderer/src/screens/node/signals/captures/use-captures.ts';
import { sharedRoute } from '../../../renderer/src/state/page/share.ts';
import { captureOf } from '../../support/renderer/capture.ts';
import { FakeService } from '../../support/renderer/fake-service.ts';
import { show } from '../../support/renderer/render.tsx';

const SAVED = '/designs/echo-v-00000000/captures';

test('a link to an earlier recording shows that one, and yields the same link', async () => {
  const now = captureOf({ led: { width: 1, values: [0, 1, 0, 1] } });
  const earlier = captureOf({ led: { width: 1, values: [0, 0, 1, 1] } }, { capture_id: 'earlier' });
  const service = new FakeService()
    .on('GET /fpga/1/captures', [now.view, earlier.view])
    .on('GET /fpga/1/captures/earlier/samples.bin', () => new Response(earlier.data.slice().buffer))
    .on(`GET ${SAVED}`, []);
  const look = { capture: 'node earlier' };
  const Probe = () => {
    const { shown, traces } = useCaptures(1, 'b', 'echo-v-00000000', look);
    return <p>{traces && shown?.view.capture_id}</p>;
  };
  await show(<Probe />, service);
  await screen.findByText('earlier');
  const route = { kind: 'node', node: 1, tab: 'signals', job: undefined } as const;
  expect(sharedRoute(route)).toEqual({ ...route, look });
});

test('a recording stays compared when the list of recordings is loaded again', async () => {
  const now = captureOf({ led: { width: 1, values: [0, 1, 0, 1] } });
  const kept = captureOf({ led: { width: 1, values: [0, 1, 1, 1] } }, { capture_id: 'kept' });
  const bytes = ({ data }: typeof now) => new Response(data.slice().buffer);
  const service = new FakeService()
    .on('GET /fpga/1/captures', [now.view])
    .on(`GET /fpga/1/captures/${now.view.capture_id}/samples.bin`, () => bytes(now))
    .on(`GET ${SAVED}`, [{ name: 'Reference', capture: kept.view }])
    .on(`GET ${SAVED}/kept/samples.bin`, () => bytes(kept));
  let captures: Captures | undefined;
  const Probe = () => {
    captures = useCaptures(1, 'b', 'echo-v-00000000', { other: 'design kept' });
    return <p>{captures.comparison ? 'compared' : 'alone'}</p>;
  };
  await show(<Probe />, service);
  await screen.findByText('compared');
  const before = captures?.saved;
  act(() => captures?.reload());
  await expect.poll(() => captures?.saved).not.toBe(before);
  expect(screen.getByText('compared')).toBeDefined();
});
