import { expect, test, vi } from 'vitest';
import { orLoadAnew } from '../../../renderer/src/components/missing-module.ts';

test('a missing module reloads the page once, at the latest address', async () => {
  const reload = vi.spyOn(window.location, 'reload').mockImplementation(() => {});
  vi.stubGlobal('fetch', async () => new Response());
  const missing = () => Promise.reject(new Error('Failed to fetch dynamically imported module'));
  void orLoadAnew(missing);
  void orLoadAnew(missing);
  await vi.waitFor(() => expect(reload).toHaveBeenCalledTimes(1));
  window.dispatchEvent(new HashChangeEvent('hashchange'));
  expect(reload).toHaveBeenCalledTimes(2);
  // A module that loads is used, whatever else is missing.
  expect(await orLoadAnew(async () => 'module')).toBe('module');
});
