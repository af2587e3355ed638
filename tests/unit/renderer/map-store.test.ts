import { expect, test } from 'vitest';
import {
  adoptMap,
  dropRegister,
  importAtBench,
  mapsOf,
  putRegister,
  renameMap,
} from '../../../renderer/src/screens/node/registers/map/map-store.ts';
import type { RegisterMap } from '../../../renderer/src/screens/node/registers/map/register-map.ts';
import type { BenchClient } from '../../../renderer/src/state/client/bench-client.ts';
import { type Asked, FakeService, fakeBench, refusal } from '../../support/renderer/fake-service.ts';

const ECHO = { name: 'echo', id: 'echo-v-00000000' };
const ROUTE = `/designs/${ECHO.id}`;
const register = (name: string, address: number) => ({ name, address, access: 'rw' as const, fields: [] });
const LAB: RegisterMap = { name: 'lab', registers: [register('CTRL', 0)] };

/** A bench that stores a map, and answers whether there is one when the test allows it. */
function slowBench(map?: RegisterMap) {
  const stored = { map };
  let allow = () => {};
  const allowed = new Promise<void>((resolve) => (allow = resolve));
  const service = new FakeService()
    .on(`GET ${ROUTE}`, async () => {
      await allowed;
      return { documents: stored.map ? ['map'] : [] };
    })
    .on(`GET ${ROUTE}/map`, () => stored.map)
    .on(`PUT ${ROUTE}/map`, ({ body }: Asked) => {
      stored.map = typeof body === 'string' ? { name: body, registers: [] } : (body as RegisterMap);
      return stored.map;
    });
  return { service, stored, allow, client: fakeBench(service).client };
}

const shown = (client: BenchClient) => mapsOf(client).getState().kept[ECHO.id];

test('an import is not undone by an earlier request for the map', async () => {
  const { client, allow } = slowBench();
  const adopted = adoptMap(client, ECHO, true);
  const imported = importAtBench(client, ECHO, 'new');
  allow();
  await Promise.all([adopted, imported]);
  expect(shown(client)?.name).toBe('new');
});

test('a map that an import replaces before it was loaded can be chosen again', async () => {
  const { client, allow } = slowBench(LAB);
  allow();
  await importAtBench(client, ECHO, 'new');
  expect(mapsOf(client).getState().maps['lab']).toEqual(LAB);
});

test('registers that were added before the map was loaded are added to the loaded map', async () => {
  const { client, allow, stored } = slowBench(LAB);
  const adopted = adoptMap(client, ECHO, true);
  const puts = [putRegister(client, ECHO, register('GO', 4)), putRegister(client, ECHO, register('RUN', 8))];
  allow();
  await adopted;
  expect(await Promise.all(puts)).toEqual([true, true]);
  const all = { name: 'lab', registers: [register('CTRL', 0), register('GO', 4), register('RUN', 8)] };
  expect(stored.map).toEqual(all);
  expect(shown(client)).toEqual(all);
});

test('a change loads the map; it is refused while the bench cannot say what the map is', async () => {
  const { service, client, allow, stored } = slowBench();
  allow();
  service.on(`GET ${ROUTE}`, refusal(503, 'store_unavailable', 'The store is away.'));
  expect(await putRegister(client, ECHO, register('GO', 4))).toBe(false);
  expect(client.toasts.getState().toasts.map(({ text }) => text)).toEqual(['The store is away.']);
  service.on(`GET ${ROUTE}`, { documents: [] });
  expect(await putRegister(client, ECHO, register('GO', 4))).toBe(true);
  expect(stored.map).toEqual({ name: 'echo', registers: [register('GO', 4)] });
});

test('changes in quick succession follow one another', async () => {
  const { client, allow, stored } = slowBench(LAB);
  allow();
  await Promise.all([
    putRegister(client, ECHO, register('GO', 4)),
    renameMap(client, ECHO, 'desk'),
    dropRegister(client, ECHO, 0),
    dropRegister(client, { name: 'echo', id: undefined }, 0),
  ]);
  expect(stored.map).toEqual({ name: 'desk', registers: [register('GO', 4)] });
});
