import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import PanelTab from '../../../renderer/src/screens/node/panel/PanelTab.tsx';
import { pinWidth } from '../../../renderer/src/state/samples/pin-samples.ts';
import type { Panel } from '../../../server/contract/designs/panel.ts';
import type { Pin, PinSettings } from '../../../server/contract/nodes/pins.ts';
import { FakeService, refusal } from '../../support/renderer/fake-service.ts';
import { reserved, tenNodes } from '../../support/renderer/fixtures.ts';
import { show } from '../../support/renderer/render.tsx';

const pin = (name: string, direction: Pin['direction'], width: number, value: Pin['value'] = 0): Pin => ({
  ...{ name, direction, width, value, rose: 0, fell: 0, bound: null },
  initial: name.endsWith('_n') ? 1 : 0,
});

const encode = (event: object) => new TextEncoder().encode(`data: ${JSON.stringify(event)}\n\n`);

/** A bench whose node 1 runs a design in which lamps follow the switches. */
async function panel(owner = 'anonymous', pins?: Pin[], stored?: Promise<Panel>) {
  const service = new FakeService();
  const node = reserved(1, owner);
  service.nodes = tenNodes({ 1: node });
  const now = pins ?? [
    pin('sw', 'input', 4),
    pin('btn_n', 'input', 1, 1),
    pin('cfg', 'input', 12),
    pin('led', 'output', 4),
  ];
  service.on('GET /designs/echo-v-00000000/panel', () => stored ?? new Response(null, { status: 204 }));
  const puts: PinSettings['pins'][] = [];
  let stream: ReadableStreamDefaultController<Uint8Array> | undefined;
  service.on(
    'GET /events?pins=1',
    () =>
      new Response(
        new ReadableStream({
          start(controller) {
            stream = controller;
            controller.enqueue(encode({ type: 'pins', fpga_id: 1, complete: true, pins: now }));
          },
        }),
      ),
  );
  service.on('PUT /fpga/1/pins', ({ body }) => {
    const { pins: wanted } = body as PinSettings;
    puts.push(wanted);
    for (const one of now) {
      const setting = wanted[one.name === 'led' ? 'sw' : one.name];
      if (setting === undefined) continue;
      const { value, mask } = typeof setting === 'object' ? setting : { value: setting, mask: 0xffff };
      one.value = (Number(one.value) & ~Number(mask)) | (Number(value) & Number(mask));
    }
    return { fpga_id: 1, pins: now.map((one) => ({ ...one })) };
  });
  const shown = await show(<PanelTab node={node} />, service);
  const tell = (...changed: Pin[]) =>
    stream?.enqueue(encode({ type: 'pins', fpga_id: 1, complete: false, pins: changed }));
  const others = (name: string, value: number) => {
    for (const one of now) if (one.name === name) one.value = value;
    for (const one of now) if (one.name === 'led' && name === 'sw') one.value = value;
  };
  return { ...shown, service, puts, tell, others };
}

test('flipping a switch lights its lamp, and events update the panel', async () => {
  const { puts, tell } = await panel();
  fireEvent.click(await screen.findByRole('switch', { name: 'sw[2]' }));
  await screen.findByRole('img', { name: 'led[2] lit' });
  expect(puts).toEqual([{ sw: { value: 4, mask: 4 } }]);
  expect(screen.getByRole('switch', { name: 'sw[2]' }).getAttribute('aria-checked')).toBe('true');
  tell(pin('led', 'output', 4, 9));
  await screen.findByRole('img', { name: 'led[0] lit' });
  screen.getByRole('img', { name: 'led[2] dark' });
});

test('flipping a switch preserves another window’s simultaneous change', async () => {
  const { puts, others } = await panel();
  await screen.findByRole('switch', { name: 'sw[2]' });
  // Before the event: this window still shows every switch as open.
  others('sw', 9);
  fireEvent.click(screen.getByRole('switch', { name: 'sw[2]' }));
  fireEvent.click(screen.getByRole('switch', { name: 'sw[1]' }));
  for (const bit of [0, 1, 2, 3]) await screen.findByRole('img', { name: `led[${bit}] lit` });
  expect(screen.getByRole('switch', { name: 'sw[0]' }).getAttribute('aria-checked')).toBe('true');
  expect(puts).toEqual([{ sw: { value: 4, mask: 4 } }, { sw: { value: 2, mask: 2 } }]);
});

test('flips during a pending request are merged into one, the last state of each switch', async () => {
  const { puts } = await panel();
  await screen.findByRole('switch', { name: 'sw[2]' });
  for (const bit of [0, 1, 2, 1, 3]) fireEvent.click(screen.getByRole('switch', { name: `sw[${bit}]` }));
  for (const [bit, lit] of ['lit', 'dark', 'lit', 'lit'].entries())
    await screen.findByRole('img', { name: `led[${bit}] ${lit}` });
  expect(puts).toEqual([{ sw: { value: 1, mask: 1 } }, { sw: { value: 12, mask: 14 } }]);
});

test('a push button follows its idle level while pressed, and is released on blur', async () => {
  const { puts } = await panel();
  const button = await screen.findByRole('button', { name: 'btn_n' });
  button.setPointerCapture = () => {};
  fireEvent.pointerDown(button, { button: 0, pointerId: 1 });
  await waitFor(() => expect(puts).toEqual([{ btn_n: 0 }]));
  expect(button.getAttribute('aria-pressed')).toBe('true');
  fireEvent.pointerUp(button, { pointerId: 1 });
  fireEvent.lostPointerCapture(button, { pointerId: 1 });
  await waitFor(() => expect(puts).toEqual([{ btn_n: 0 }, { btn_n: 1 }]));
  fireEvent.keyDown(button, { key: ' ' });
  fireEvent.keyDown(button, { key: ' ', repeat: true });
  fireEvent.blur(button);
  fireEvent.keyUp(button, { key: ' ' });
  await waitFor(() => expect(puts.slice(2)).toEqual([{ btn_n: 0 }, { btn_n: 1 }]));
});

test('a pressed button is released when the panel closes', async () => {
  const { puts, unmount } = await panel();
  fireEvent.keyDown(await screen.findByRole('button', { name: 'btn_n' }), { key: 'Enter' });
  unmount();
  await waitFor(() => expect(puts).toEqual([{ btn_n: 0 }, { btn_n: 1 }]));
});

test('a number is typed: set with Enter, refused when it does not fit', async () => {
  const { puts } = await panel();
  const field = await screen.findByRole('textbox', { name: 'Value of cfg' });
  fireEvent.change(field, { target: { value: '0x1000' } });
  await screen.findByText('Enter at most 12 bits.');
  fireEvent.keyDown(field, { key: 'Enter' });
  fireEvent.change(field, { target: { value: '0b11' } });
  fireEvent.keyDown(field, { key: 'Enter' });
  await waitFor(() => expect(puts).toEqual([{ cfg: 3 }]));
});

test('a user without the node sees the panel but cannot operate it', async () => {
  const { puts } = await panel('bob');
  const one = await screen.findByRole('switch', { name: 'sw[0]' });
  expect(one.hasAttribute('disabled')).toBe(true);
  expect(screen.getByRole('button', { name: 'btn_n' }).hasAttribute('disabled')).toBe(true);
  screen.getByText(/Only the holder can use it/);
  fireEvent.keyDown(screen.getByRole('button', { name: 'btn_n' }), { key: ' ' });
  expect(puts).toEqual([]);
});

test('a port’s appearance is selectable and stored with the design, and a hidden port can return', async () => {
  const { service } = await panel();
  const kept: Panel[] = [];
  service.on('PUT /designs/echo-v-00000000/panel', ({ body }) => {
    kept.push(body as Panel);
    return body;
  });
  const card = await screen.findByRole('region', { name: 'led' });
  fireEvent.change(within(card).getByLabelText('Appearance of led'), { target: { value: 'bar' } });
  await within(card).findByRole('meter', { name: 'led' });
  fireEvent.change(screen.getByLabelText('Appearance of led'), { target: { value: 'hidden' } });
  fireEvent.click(await screen.findByRole('button', { name: 'Show led' }));
  await screen.findByRole('img', { name: 'led[0] dark' });
  await waitFor(() =>
    expect(kept.map(({ ports }) => ports['led']?.look)).toEqual(['bar', 'hidden', undefined]),
  );
});

test('a change keeps the stored layout, however late that arrives', async () => {
  let answer: (stored: Panel) => void = () => {};
  const stored = new Promise<Panel>((resolve) => (answer = resolve));
  const { service } = await panel('anonymous', [pin('late', 'input', 4), pin('led', 'output', 4)], stored);
  const kept: Panel[] = [];
  service.on('PUT /designs/echo-v-00000000/panel', ({ body }) => {
    kept.push(body as Panel);
    return body;
  });
  await waitFor(() => expect(pinWidth(1, 'late')).toBe(4));
  expect(screen.queryByLabelText('Appearance of late')).toBeNull();
  answer({ ports: { led: { look: 'bar' } } });
  fireEvent.change(await screen.findByLabelText('Appearance of late'), { target: { value: 'hex' } });
  await waitFor(() => expect(kept).toEqual([{ ports: { led: { look: 'bar' }, late: { look: 'hex' } } }]));
});

test('after a refusal the panel shows the actual state', async () => {
  const { service } = await panel();
  service.on('PUT /fpga/1/pins', () => refusal(409, 'fpga_not_reserved', 'The node is not reserved.'));
  service.on('GET /fpga/1/pins', { fpga_id: 1, pins: [pin('sw', 'input', 4, 1)] });
  fireEvent.click(await screen.findByRole('switch', { name: 'sw[3]' }));
  await waitFor(() =>
    expect(screen.queryByRole('switch', { name: 'sw[3]' })?.getAttribute('aria-checked')).toBe('false'),
  );
  expect(screen.getByRole('switch', { name: 'sw[0]' }).getAttribute('aria-checked')).toBe('true');
});

test('a design without ports besides its bus shows an explanation', async () => {
  await panel('anonymous', []);
  await screen.findByText(/no ports besides its bus/);
});

test('a dragged slider sends a few values and the last', async () => {
  const { puts } = await panel('anonymous', [pin('duty', 'input', 8)]);
  const slider = await screen.findByRole('slider', { name: 'duty' });
  for (let value = 1; value <= 100; value++) fireEvent.change(slider, { target: { value: String(value) } });
  await waitFor(() => expect(puts.at(-1)).toEqual({ duty: 100 }));
  expect(puts.length).toBeLessThanOrEqual(3);
  expect((slider as HTMLInputElement).value).toBe('100');
});

/** Panels that the window stores with the design. */
function storedPanels(service: FakeService): Panel[] {
  const stored: Panel[] = [];
  service.on('PUT /designs/echo-v-00000000/panel', ({ body }) => {
    stored.push(body as Panel);
    return body;
  });
  return stored;
}

const cardNames = () =>
  [...document.querySelectorAll<HTMLElement>('[data-card]')].map(({ dataset }) => dataset['card']);

test('cards move with the keyboard, retain the focus, and their order is stored with the design', async () => {
  const { service } = await panel();
  const stored = storedPanels(service);
  await screen.findByRole('switch', { name: 'sw[0]' });
  expect(cardNames()).toEqual(['led', 'sw', 'btn_n', 'cfg']);
  fireEvent.click(screen.getByRole('button', { name: 'Arrange' }));
  const handle = () => screen.getByRole('button', { name: /^Move cfg/ });
  handle().focus();
  fireEvent.keyDown(handle(), { key: 'ArrowLeft' });
  expect(cardNames()).toEqual(['led', 'sw', 'cfg', 'btn_n']);
  expect(document.activeElement).toBe(handle());
  fireEvent.keyDown(handle(), { key: 'Home' });
  expect(cardNames()).toEqual(['cfg', 'led', 'sw', 'btn_n']);
  fireEvent.keyDown(handle(), { key: 'ArrowUp' });
  await waitFor(() => expect(stored.at(-1)?.order).toEqual(['cfg', 'led', 'sw', 'btn_n']));
  fireEvent.keyDown(handle(), { key: 'End' });
  await waitFor(() => expect(stored.at(-1)?.order).toEqual(['led', 'sw', 'btn_n', 'cfg']));
});

test('a card is dragged to the place under the pointer; Escape puts it back', async () => {
  const { service } = await panel();
  const stored = storedPanels(service);
  await screen.findByRole('switch', { name: 'sw[0]' });
  fireEvent.click(screen.getByRole('button', { name: 'Arrange' }));
  for (const [at, card] of [...document.querySelectorAll('[data-card]')].entries())
    card.getBoundingClientRect = () => new DOMRect(at * 100, 0, 100, 100);
  fireEvent.pointerDown(screen.getByRole('button', { name: /^Move led/ }), { button: 0 });
  // Beyond the middle of the second card.
  fireEvent.pointerMove(window, { clientX: 180, clientY: 50 });
  expect(cardNames()).toEqual(['sw', 'led', 'btn_n', 'cfg']);
  fireEvent.keyDown(window, { key: 'Escape' });
  await waitFor(() => expect(cardNames()).toEqual(['led', 'sw', 'btn_n', 'cfg']));
  fireEvent.pointerMove(window, { clientX: 180, clientY: 50 });
  expect(stored.at(-1)?.order?.[0]).toBe('led');
});

test('a card gets a label, a width and a size; the reset of the layout can be undone', async () => {
  const { service } = await panel();
  const stored = storedPanels(service);
  await screen.findByRole('switch', { name: 'sw[0]' });
  fireEvent.click(screen.getByRole('button', { name: 'Arrange' }));
  const label = screen.getByLabelText('Label of led');
  fireEvent.change(label, { target: { value: ' Speed ' } });
  fireEvent.keyDown(label, { key: 'Enter' });
  await screen.findByRole('region', { name: 'Speed, led' });
  fireEvent.change(screen.getByLabelText('Width of led'), { target: { value: '6' } });
  fireEvent.change(screen.getByLabelText('Size of led'), { target: { value: 'large' } });
  const cards = { led: { label: 'Speed', width: 6, size: 'large' } };
  await waitFor(() => expect(stored.at(-1)).toEqual({ ports: {}, cards }));
  fireEvent.click(screen.getByRole('button', { name: 'Reset layout' }));
  await waitFor(() => expect(stored.at(-1)).toEqual({ ports: {} }));
  expect(screen.queryByRole('region', { name: 'Speed, led' })).toBeNull();
});

test('values use the number format of the page', async () => {
  const { client } = await panel('anonymous', [
    pin('cfg', 'input', 12, 255),
    pin('state', 'output', 16, 0xffff),
  ]);
  const field = await screen.findByRole<HTMLInputElement>('textbox', { name: 'Value of cfg' });
  expect(field.value).toBe('0x0FF');
  fireEvent.click(screen.getByRole('radio', { name: 'Signed' }));
  expect(client.preferences.getState().numberFormat).toBe('signed');
  expect(field.value).toBe('255');
  screen.getByText('−1');
  fireEvent.click(screen.getByRole('radio', { name: 'Bin' }));
  expect(field.value).toBe('0b0000_1111_1111');
});
