import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { describe, expect, test } from 'vitest';
import { OpenDialog } from '../../../renderer/src/components/OpenDialog.tsx';
import {
  problemsByField,
  setting,
  toPatch,
  withChange,
} from '../../../renderer/src/screens/settings/draft.ts';
import { parseNumber, shownNumber, urlProblem } from '../../../renderer/src/screens/settings/fields.ts';
import SettingsScreen from '../../../renderer/src/screens/settings/SettingsScreen.tsx';
import { currentRoute } from '../../../renderer/src/state/page/router.ts';
import type { SettingsResponse } from '../../../server/contract/bench/bench.ts';
import { DEFAULT_SETTINGS as settings } from '../../../server/contract/bench/settings.ts';
import { SETTING_FIELDS } from '../../../server/contract/setting-fields.ts';
import { FakeService, refusal } from '../../support/renderer/fake-service.ts';
import { show } from '../../support/renderer/render.tsx';

const response: SettingsResponse = { settings, defaults: settings, restart_required: [], notices: [] };

const settingsService = () =>
  new FakeService().on('GET /settings', response).on('GET /auth/keys', []).on('GET /auth/invites', []);

describe('numbers', () => {
  const { upload_bytes, build_slots, port } = {
    ...SETTING_FIELDS.limits,
    ...SETTING_FIELDS.toolchain,
    ...SETTING_FIELDS.network,
  };

  test('are shown in their unit and stored in the service’s', () => {
    expect(shownNumber(upload_bytes, 1 << 20)).toBe('1024');
    expect(parseNumber(upload_bytes, '512')).toEqual({ value: 512 << 10 });
    expect(shownNumber(build_slots, null)).toBe('');
    expect(parseNumber(build_slots, ' ')).toEqual({ value: null });
  });

  test.each(['', 'x', '-1', '70000', '1.5', '1e3'])('%j is no port', (typed) => {
    expect(parseNumber(port, typed)).toHaveProperty('problem');
  });
});

test('an identity provider is reached over https, or on this computer', () => {
  expect(urlProblem('https://login.example.org/realm')).toBeUndefined();
  expect(urlProblem('http://127.0.0.1:9000')).toBeUndefined();
  expect(urlProblem('http://login.example.org')).toBeDefined();
  expect(urlProblem('ftp://login.example.org')).toBeDefined();
  expect(urlProblem('')).toBeDefined();
});

test('only differing values are changes, and only changes are sent', () => {
  const jobs = setting('limits', 'jobs_per_node');
  const changed = withChange(settings, {}, jobs, 100);
  expect(toPatch(withChange(settings, changed, setting('sessions', 'ttl_seconds'), 60))).toEqual({
    limits: { jobs_per_node: 100 },
    sessions: { ttl_seconds: 60 },
  });
  expect(withChange(settings, changed, jobs, 500)).toEqual({});
  expect(
    problemsByField([{ loc: ['body', 'limits', 'jobs_per_node'], msg: 'too few', type: 'minimum' }]),
  ).toEqual({
    'limits.jobs_per_node': 'too few',
  });
});

test('changes wait for Save, and those that need a restart are marked', async () => {
  const service = settingsService().on('PUT /settings', ({ body }) => ({
    ...response,
    settings: { ...settings, network: { ...settings.network, ...(body as { network: object }).network } },
    restart_required: ['network.port'],
  }));
  await show(<SettingsScreen />, service);
  const port = await screen.findByLabelText('Port');
  fireEvent.change(port, { target: { value: '99999' } });
  expect(screen.getByText('Enter 0 to 65535.')).toBeTruthy();
  expect(screen.getByRole('button', { name: 'Save changes' }).hasAttribute('disabled')).toBe(true);
  fireEvent.change(port, { target: { value: '8123' } });
  expect(screen.getByText('1 change is not saved.')).toBeTruthy();
  fireEvent.click(screen.getByRole('button', { name: 'Save changes' }));
  await screen.findByText(/Waiting for a restart of the bench: network.port/);
  expect(service.asked.find(({ method }) => method === 'PUT')?.body).toEqual({ network: { port: 8123 } });
  expect(screen.queryByText('1 change is not saved.')).toBeNull();
});

test('navigation is allowed as soon as the save is confirmed', async () => {
  const service = settingsService().on('PUT /settings', response);
  const { client } = await show(<SettingsScreen />, service);
  fireEvent.change(await screen.findByLabelText('Port'), { target: { value: '8123' } });
  window.location.hash = '#/jobs';
  expect(currentRoute().kind).not.toBe('jobs');
  window.location.hash = '';
  const leaving = new Promise((resolve) =>
    client.toasts.subscribe(() => {
      window.location.hash = '#/jobs';
      resolve(currentRoute().kind);
    }),
  );
  fireEvent.click(screen.getByRole('button', { name: 'Save changes' }));
  expect(await leaving).toBe('jobs');
});

test('changes typed during a save remain unsaved', async () => {
  let answer = (_: SettingsResponse) => {};
  const service = settingsService().on(
    'PUT /settings',
    () => new Promise<SettingsResponse>((resolve) => (answer = resolve)),
  );
  await show(<SettingsScreen />, service);
  const type = (label: string, value: string) =>
    fireEvent.change(screen.getByLabelText(label), { target: { value } });
  await screen.findByLabelText('Port');
  type('Port', '8123');
  const kept = (screen.getByLabelText('Stored jobs per node') as HTMLInputElement).value;
  type('Stored jobs per node', '20');
  fireEvent.click(screen.getByRole('button', { name: 'Save changes' }));
  await waitFor(() => expect(service.asked.some(({ method }) => method === 'PUT')).toBe(true));
  type('Port', '8124');
  // Back to what it was: of what is being saved that is another value.
  type('Stored jobs per node', kept);
  answer({
    ...response,
    settings: {
      ...settings,
      network: { ...settings.network, port: 8123 },
      limits: { ...settings.limits, jobs_per_node: 20 },
    },
  });
  await screen.findByText('2 changes are not saved.');
  expect((screen.getByLabelText('Port') as HTMLInputElement).value).toBe('8124');
  expect((screen.getByLabelText('Stored jobs per node') as HTMLInputElement).value).toBe(kept);
});

test('a refusal appears at its field, and typed values stay', async () => {
  const service = settingsService().on(
    'PUT /settings',
    refusal(422, 'validation_error', 'The request is not valid.', {
      errors: [{ loc: ['body', 'limits', 'jobs_per_node'], msg: 'must be at least 10', type: 'x' }],
    }),
  );
  await show(<SettingsScreen />, service);
  fireEvent.change(await screen.findByLabelText('Stored jobs per node'), { target: { value: '20' } });
  fireEvent.click(screen.getByRole('button', { name: 'Save changes' }));
  await screen.findByText('must be at least 10');
  expect((screen.getByLabelText('Stored jobs per node') as HTMLInputElement).value).toBe('20');
});

test('opening the LAN requires confirmation', async () => {
  const minted = { api_key: `wbk_${'A'.repeat(43)}`, owner: 'lab-1', key: { username: 'lab-1' } };
  const service = settingsService().on('PUT /settings', response).on('POST /auth/keys', minted);
  await show(<SettingsScreen />, service);
  fireEvent.click(await screen.findByRole('switch', { name: 'Listen on the LAN' }));
  const dialog = await screen.findByRole('dialog', { name: 'Listen on the LAN?' });
  expect(dialog.textContent).toContain('can run designs and reset boards');
  expect(dialog.textContent).toContain('You first get a key with the operator’s right');
  fireEvent.click(within(dialog).getByRole('button', { name: 'Keep as it is' }));
  expect(service.asked.some(({ method }) => method === 'PUT')).toBe(false);
  fireEvent.click(screen.getByRole('switch', { name: 'Listen on the LAN' }));
  const again = within(await screen.findByRole('dialog'));
  const confirm = again.getByRole('button', { name: 'Listen on the LAN' });
  expect(confirm.hasAttribute('disabled')).toBe(true);
  fireEvent.change(again.getByLabelText('Your name'), { target: { value: 'lab-1' } });
  fireEvent.click(confirm);
  await waitFor(() =>
    expect(service.asked.find(({ method }) => method === 'PUT')?.body).toEqual({ network: { lan: true } }),
  );
  // The key comes first, and the request that locks others out is sent with it.
  const asked = service.asked.filter(({ method }) => method !== 'GET');
  expect(asked.map(({ method, path }) => `${method} ${path}`)).toEqual(['POST /auth/keys', 'PUT /settings']);
  expect(asked[0]?.body).toEqual({ owner: 'lab-1', label: 'browser', operator: true });
  expect(asked[1]?.headers['x-api-key']).toBe(minted.api_key);
});

test('VHDL without a sandbox shows why it is off, and a browser cannot enable it', async () => {
  const service = settingsService();
  await show(<SettingsScreen />, service);
  const unconfined = await screen.findByRole('switch', { name: 'Translate VHDL without a sandbox' });
  expect((unconfined as HTMLInputElement).checked).toBe(false);
  expect(unconfined.hasAttribute('disabled')).toBe(true);
  expect(screen.getByText(/nothing but a check of the source keeps a design from reading/)).toBeTruthy();
});

test('the theme applies at once, and without the operator’s right the rest is explained', async () => {
  const service = new FakeService().on(
    'GET /settings',
    refusal(403, 'operator_only', 'Only the operator can do this.'),
  );
  const { client } = await show(<SettingsScreen />, service);
  fireEvent.click(screen.getByLabelText('Dark'));
  expect(client.preferences.getState().theme).toBe('dark');
  await screen.findByText(/Only the operator can see and change the settings/);
});

test('revoking a key requires confirmation', async () => {
  const key = {
    id: 'k1',
    username: 'dave',
    created_at: new Date().toISOString(),
    last_used_at: null,
    expires_at: null,
  };
  let keys = [key];
  const service = settingsService()
    .on('GET /auth/keys', () => keys)
    .on('DELETE /auth/keys/k1', () => {
      keys = [];
      return new Response(null, { status: 204 });
    });
  await show(
    <>
      <SettingsScreen />
      <OpenDialog />
    </>,
    service,
  );
  fireEvent.click(await screen.findByRole('button', { name: 'Revoke the key of dave' }));
  const dialog = await screen.findByRole('dialog', { name: 'Revoke the key of dave?' });
  fireEvent.click(within(dialog).getByRole('button', { name: 'Revoke' }));
  await screen.findByText(/No keys yet/);
});
