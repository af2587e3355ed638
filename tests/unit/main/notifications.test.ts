import { readFileSync } from 'node:fs';
import path from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test, vi } from 'vitest';
import { parse } from 'yaml';
import { appRoot } from '../../../server/paths.ts';
import { job } from '../../support/renderer/fixtures.ts';

/** Notifications as Electron has them: it keeps none itself. */
const { refs, Notification } = vi.hoisted(() => {
  const refs: WeakRef<{ heard: Map<string, () => void> }>[] = [];
  class Notification {
    readonly heard = new Map<string, () => void>();
    static isSupported = () => true;
    constructor() {
      refs.push(new WeakRef(this));
    }
    on(event: string, listener: () => void): void {
      this.heard.set(event, listener);
    }
    show(): void {}
  }
  return { refs, Notification };
});

vi.mock('electron', () => ({ Notification }));

const { APP_ID, describeEnd, notifyEnd } = await import('../../../main/notifications.ts');

test('notifications report finished builds and all failures, not successful runs', () => {
  const submit = { filename: 'echo.v', size: 1, options: {} };
  expect(describeEnd(job({ status: 'complete', submit }))?.title).toBe('Node 0: echo.v is running');
  const failure = { error: 'x', message: 'It broke.', remedy: 'Mend it.' };
  expect(describeEnd(job({ status: 'failed', submit, failure }))).toEqual({
    title: 'Node 0: echo.v failed',
    body: 'It broke. Mend it.',
  });
  expect(describeEnd(job({ type: 'run', status: 'complete' }))).toBeNull();
  expect(describeEnd(job({ type: 'run', status: 'failed', failure }))?.title).toBe('Node 0: run failed');
  expect(describeEnd(job({ status: 'cancelled', submit }))).toBeNull();
});

test('a click counts however long it takes: what is on the screen is not collected', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const opened: number[] = [];
  const submit = { filename: 'echo.v', size: 1, options: {} };
  notifyEnd(job({ status: 'complete', submit }), 'icon.png', () => opened.push(0));
  // A WeakRef holds on until the end of the turn that made it.
  await turn();
  collect();
  refs.at(-1)?.deref()?.heard.get('click')?.();
  expect(opened).toEqual([0]);
  refs.at(-1)?.deref()?.heard.get('close')?.();
  await turn();
  collect();
  expect(refs.at(-1)?.deref()).toBeUndefined();
});

test('Windows knows them by the id of the shortcut that the installer makes', () => {
  const builder = parse(readFileSync(path.join(appRoot, 'electron-builder.yml'), 'utf8'));
  expect((builder as { appId: string }).appId).toBe(APP_ID);
});
