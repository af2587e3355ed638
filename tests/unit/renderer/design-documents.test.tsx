import { act, fireEvent, screen, waitFor } from '@testing-library/react';
import { useState } from 'react';
import { describe, expect, test } from 'vitest';
import { usePanel } from '../../../renderer/src/screens/node/panel/use-panel.ts';
import { useWaves } from '../../../renderer/src/screens/node/signals/use-waves.ts';
import { type Asked, FakeService, refusal } from '../../support/renderer/fake-service.ts';
import { show } from '../../support/renderer/render.tsx';

/** A panel as a word: how the port `led` looks. */
function PanelProbe({ design }: { design: string }) {
  const { document: panel, change } = usePanel(design);
  const looks = ['bar', 'hex', 'digits'] as const;
  return (
    <>
      <output>{panel === undefined ? 'loading' : (panel.ports['led']?.look ?? 'none')}</output>
      {looks.map((look) => (
        <button key={look} type="button" onClick={() => change({ ports: { led: { look } } })}>
          {look}
        </button>
      ))}
    </>
  );
}

/** Waves as a word: the names of their signals. */
function WavesProbe({ design }: { design: string }) {
  const { document: waves, change } = useWaves(design, true);
  const names = waves?.rows.map((row) => (row.kind === 'signal' ? row.name : ''));
  return (
    <>
      <output>{names === undefined ? 'loading' : names.join() || 'none'}</output>
      {['bar', 'hex', 'digits'].map((name) => (
        <button key={name} type="button" onClick={() => change({ rows: [{ kind: 'signal', name }] })}>
          {name}
        </button>
      ))}
    </>
  );
}

/** Shows the document of one of two designs, or of none. */
function Shown({ of: Probe }: { of: typeof PanelProbe }) {
  const [design, setDesign] = useState<string | undefined>('one');
  return (
    <>
      {design !== undefined && <Probe key={design} design={design} />}
      <button type="button" onClick={() => setDesign(undefined)}>
        leave
      </button>
      <button type="button" onClick={() => setDesign('one')}>
        return
      </button>
    </>
  );
}

const press = (name: string) => fireEvent.click(screen.getByRole('button', { name }));
const shown = () => screen.getByRole('status').textContent;
/** Lets everything that is ready to happen happen. */
const settle = () => act(() => new Promise((resolve) => setTimeout(resolve)));

describe.each([
  ['panel', PanelProbe],
  ['waves', WavesProbe],
] as const)('the %s of a design', (name, Probe) => {
  /** A service that stores a document when the test allows it, and a page that shows the document. */
  async function slowService() {
    const route = `/designs/one/${name}`;
    const service = new FakeService();
    const waiting: (() => void)[] = [];
    let stored: unknown;
    service.on(`GET ${route}`, () => stored ?? new Response(null, { status: 204 }));
    service.on(`PUT ${route}`, async ({ body }: Asked) => {
      await new Promise<void>((resolve) => waiting.push(resolve));
      stored = body;
      return body;
    });
    const methods = () => service.asked.filter(({ path }) => path === route).map(({ method }) => method);
    const { client } = await show(<Shown of={Probe} />, service);
    await waitFor(() => expect(shown()).toBe('none'));
    const asked = methods().length;
    return { service, client, waiting, methods: () => methods().slice(asked) };
  }

  test('an answer after a reconnect is from after a change that was under way', async () => {
    const { service, client, waiting, methods } = await slowService();
    press('bar');
    await waitFor(() => expect(waiting).toHaveLength(1));
    const connection = () => client.connection.getState().connection.kind;
    service.hangUp();
    await waitFor(() => expect(connection()).toBe('waiting'));
    client.retryNow();
    await waitFor(() => expect(connection()).toBe('live'));
    await settle();
    expect(shown()).toBe('bar');
    expect(methods()).toEqual(['PUT']);
    waiting[0]?.();
    await waitFor(() => expect(methods()).toContain('GET'));
    await settle();
    expect(shown()).toBe('bar');
  });

  test('who returns during a change finds it', async () => {
    const { waiting, methods } = await slowService();
    press('hex');
    await waitFor(() => expect(waiting).toHaveLength(1));
    press('leave');
    press('return');
    await settle();
    expect(shown()).toBe('loading');
    waiting[0]?.();
    await waitFor(() => expect(shown()).toBe('hex'));
    expect(methods()).toEqual(['PUT', 'GET']);
  });

  test('of several changes during a request only the last is stored', async () => {
    const { waiting, methods } = await slowService();
    press('bar');
    await waitFor(() => expect(waiting).toHaveLength(1));
    press('hex');
    press('digits');
    waiting[0]?.();
    await waitFor(() => expect(waiting).toHaveLength(2));
    waiting[1]?.();
    await settle();
    expect(methods()).toEqual(['PUT', 'PUT']);
    press('leave');
    press('return');
    await waitFor(() => expect(shown()).toBe('digits'));
  });

  test('a change after a failed load shows, and replaces nothing at the bench', async () => {
    const route = `/designs/one/${name}`;
    const service = new FakeService();
    service.on(`GET ${route}`, refusal(500, 'internal_error', 'The disk cannot be read.'));
    const { client } = await show(<Shown of={Probe} />, service);
    await waitFor(() => expect(shown()).toBe('none'));
    press('bar');
    await waitFor(() => expect(shown()).toBe('bar'));
    press('hex');
    await settle();
    expect(shown()).toBe('hex');
    expect(service.asked.filter(({ method, path }) => method === 'PUT' && path === route)).toEqual([]);
    expect(client.toasts.getState().toasts.length).toBeGreaterThan(0);
  });
});
