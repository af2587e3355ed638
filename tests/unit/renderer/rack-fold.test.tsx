import { fireEvent, screen, within } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { App } from '../../../renderer/src/app/App.tsx';
import { isRackFolded, rackPlaceOf } from '../../../renderer/src/state/page/rack-fold.ts';
import { FakeService } from '../../support/renderer/fake-service.ts';
import { reserved, tenNodes } from '../../support/renderer/fixtures.ts';
import { show } from '../../support/renderer/render.tsx';

const windowOf = (width: number) =>
  vi.spyOn(window, 'matchMedia').mockImplementation(
    (query) =>
      ({
        matches: width >= Number(/min-width: (\d+)px/.exec(query)?.[1] ?? Number.POSITIVE_INFINITY),
        addEventListener: () => {},
        removeEventListener: () => {},
      }) as unknown as MediaQueryList,
  );

beforeEach(() => {
  windowOf(1440);
});
afterEach(() => {
  vi.restoreAllMocks();
});

test('the rack is folded next to the source and the waves, unless there is room for both', () => {
  for (const tab of ['design', 'signals'] as const) {
    expect(isRackFolded({}, rackPlaceOf(tab, false))).toBe(true);
    expect(isRackFolded({}, rackPlaceOf(tab, true))).toBe(false);
  }
  expect(isRackFolded({}, rackPlaceOf('registers', false))).toBe(false);
});

test('a fold choice applies only to its place', () => {
  expect(isRackFolded({ 'other-view': true }, rackPlaceOf('registers', false))).toBe(true);
  expect(isRackFolded({ 'other-view': true }, rackPlaceOf('design', true))).toBe(true);
  expect(isRackFolded({ 'wide-view': false }, rackPlaceOf('design', false))).toBe(false);
});

test('the strip names each node, and its button and key open the rack, which is remembered', async () => {
  const service = new FakeService();
  service.nodes = tenNodes({ 0: reserved(0, 'alice') });
  window.location.hash = '#/node/0/design';
  const { client, container } = await show(<App />, service);
  const strip = await screen.findByRole('list', { name: 'Nodes' });
  expect(strip.className).toBe('rack-strip');
  expect(within(strip).getByRole('link', { name: 'Node 0, reserved, alice, echo.v' })).toBeTruthy();
  expect(within(strip).getAllByRole('link')).toHaveLength(10);
  within(strip).getByRole('link', { name: 'Node 1, idle' }).focus();
  fireEvent.keyDown(document.activeElement as Element, { key: 'End' });
  expect(document.activeElement?.getAttribute('aria-label')).toBe('Node 9, idle');

  fireEvent.click(screen.getByRole('button', { name: 'Expand the rack' }));
  const collapse = screen.getByRole('button', { name: 'Collapse the rack' });
  expect(document.activeElement).toBe(collapse);
  expect(container.querySelectorAll('.card')).toHaveLength(10);
  expect(client.preferences.getState().rackFolded).toEqual({ 'wide-view': false });
  fireEvent.keyDown(document.body, { key: 'b' });
  expect(screen.getByRole('button', { name: 'Expand the rack' })).toBeTruthy();
  expect(client.preferences.getState().rackFolded).toEqual({ 'wide-view': true });
});
