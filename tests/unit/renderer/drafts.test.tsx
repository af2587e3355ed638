import { act, fireEvent, screen, waitFor } from '@testing-library/react';
import fc from 'fast-check';
import { afterEach, expect, test } from 'vitest';
import { App } from '../../../renderer/src/app/App.tsx';
import { type Draft, drafts, otherDrafts, setDraft } from '../../../renderer/src/state/drafts/draft-store.ts';
import { chooseDesign } from '../../../renderer/src/state/drafts/drafts.ts';
import { closeDraft, showDraft } from '../../../renderer/src/state/drafts/open-drafts.ts';
import { encodeSource } from '../../../renderer/src/state/drafts/source-text.ts';
import { storeDrafts } from '../../../renderer/src/state/drafts/store-drafts.ts';
import { decodeDrafts, encodeDrafts } from '../../../renderer/src/state/drafts/stored-drafts.ts';
import { FakeService, fakeBench, memory } from '../../support/renderer/fake-service.ts';
import { job, reserved, SESSION_ID } from '../../support/renderer/fixtures.ts';
import { show } from '../../support/renderer/render.tsx';

/** Drafts outlive the page, and none is lost without a way back. */

const forget = () => {
  drafts.setState({}, true);
  otherDrafts.setState({}, true);
};
afterEach(forget);

const draftOf = (name: string, source: string): Draft => ({
  name,
  files: [{ name, contents: encodeSource(source) }],
  options: {},
  edited: true,
});

const textOf = (draft: Draft | undefined, at = 0): string =>
  new TextDecoder().decode(draft?.files[at]?.contents);

/** The browser's event when the page closes. */
const leavePage = () => window.dispatchEvent(new Event('pagehide'));

test('stored drafts are restored byte for byte', () => {
  const file = fc.record({ name: fc.string(), contents: fc.uint8Array({ maxLength: 200 }) });
  const typed = fc
    .string({ unit: 'binary' })
    .map((source) => ({ name: 'typed.v', contents: encodeSource(source) }));
  const draft: fc.Arbitrary<Draft> = fc.record(
    {
      name: fc.string(),
      files: fc.array(fc.oneof(file, typed), { minLength: 1, maxLength: 4 }),
      options: fc.constant({ top: 'echo' }),
      edited: fc.constant(true as const),
      at: fc.integer(),
      path: fc.string(),
    },
    { requiredKeys: ['name', 'files', 'options'] },
  );
  fc.assert(
    fc.property(fc.option(draft, { nil: undefined }), fc.array(draft, { maxLength: 3 }), (shown, others) => {
      const { stored } = encodeDrafts({ shown, others });
      const read = decodeDrafts(JSON.parse(JSON.stringify(stored)));
      const plain = (one: Draft | undefined) =>
        one && { ...one, files: one.files.map(({ name, contents }) => [name, [...contents]]) };
      expect([read.shown, ...read.others].map(plain)).toEqual([shown, ...others].map(plain));
    }),
    { numRuns: 40 },
  );
});

test('any stored value is decoded without an error', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      decodeDrafts(value);
      decodeDrafts({ shown: value, others: [value, { name: 'a', files: [value] }] });
    }),
  );
});

test('with scarce storage texts are stored before other files, and the omitted ones are named', () => {
  const project: Draft = {
    name: 'soc',
    files: [
      { name: 'rom.bin', contents: new Uint8Array(30).fill(255) },
      { name: 'large.v', contents: encodeSource('x'.repeat(60)) },
      { name: 'top.v', contents: encodeSource('module top;') },
    ],
    options: {},
  };
  const { stored, unstored } = encodeDrafts({ shown: project, others: [] }, 75);
  expect(decodeDrafts(stored).shown?.files.map(({ name }) => name)).toEqual(['large.v', 'top.v']);
  expect(unstored.get(project)).toEqual(['rom.bin']);
  expect(decodeDrafts(stored).shown?.unstored).toEqual(['rom.bin']);
});

test('a draft survives closing the page, with its time; a submitted one does not', () => {
  const kept = memory();
  storeDrafts(fakeBench(undefined, { memory: kept }).client);
  setDraft(3, draftOf('echo.v', 'module typed;'));
  const at = drafts.getState()[3]?.at;
  leavePage();
  forget();
  storeDrafts(fakeBench(undefined, { memory: kept }).client);
  expect(textOf(drafts.getState()[3])).toBe('module typed;');
  expect(drafts.getState()[3]).toMatchObject({ edited: true, at });
  setDraft(3, undefined);
  leavePage();
  storeDrafts(fakeBench(undefined, { memory: kept }).client);
  expect(drafts.getState()[3]).toBeUndefined();
});

test('a full browser storage reports which files a reload would lose', () => {
  const full = { ...memory(), setItem: () => { throw new DOMException('full', 'QuotaExceededError'); } }; // biome-ignore format: one line
  storeDrafts(fakeBench(undefined, { memory: full as unknown as Storage }).client);
  setDraft(0, draftOf('echo.v', 'module echo;'));
  leavePage();
  expect(drafts.getState()[0]?.unstored).toEqual(['echo.v']);
});

test('a draft changed in another window of the browser is updated here', () => {
  const kept = memory();
  storeDrafts(fakeBench(undefined, { memory: kept }).client);
  setDraft(0, draftOf('echo.v', 'old'));
  leavePage();
  const { stored } = encodeDrafts({ shown: draftOf('echo.v', 'newer'), others: [] });
  kept.setItem('wishbench.drafts.0', JSON.stringify(stored));
  window.dispatchEvent(new StorageEvent('storage', { key: 'wishbench.drafts.0' }));
  expect(textOf(drafts.getState()[0])).toBe('newer');
});

test('a second file opens next to the first, and one of the same name replaces it with undo', () => {
  const { client } = fakeBench();
  setDraft(0, draftOf('a.v', 'module typed;'));
  chooseDesign(client, 0, { name: 'b.v', contents: encodeSource('module b;') });
  expect(drafts.getState()[0]?.name).toBe('b.v');
  const [first] = otherDrafts.getState()[0] ?? [];
  expect(textOf(first)).toBe('module typed;');
  showDraft(0, first);
  expect(drafts.getState()[0]).toBe(first);
  expect(otherDrafts.getState()[0]?.map(({ name }) => name)).toEqual(['b.v']);
  chooseDesign(client, 0, { name: 'a.v', contents: encodeSource('module anew;') });
  expect(textOf(drafts.getState()[0])).toBe('module anew;');
  client.toasts.getState().toasts[0]?.action?.run();
  expect(otherDrafts.getState()[0]?.map((one) => textOf(one))).toEqual(['module b;', 'module typed;']);
});

test('a discarded draft can be restored', () => {
  const { client } = fakeBench();
  setDraft(0, draftOf('a.v', 'module typed;'));
  const draft = drafts.getState()[0];
  if (draft) closeDraft(client, 0, draft);
  expect(drafts.getState()[0]).toBeUndefined();
  const [toast] = client.toasts.getState().toasts;
  expect(toast).toMatchObject({ text: 'Discarded the changes of a.v.', action: { label: 'Undo' } });
  toast?.action?.run();
  expect(drafts.getState()[0]).toBe(draft);
});

test('Ctrl+Enter rebuilds an unchanged source, and the button shows the shortcut', async () => {
  const build = job({ status: 'complete', build_id: 'b' });
  const service = new FakeService()
    .on('GET /fpga/0/jobs', [build])
    .on(`GET /fpga/0/jobs/${build.job_id}/source`, () => new Response('module echo; endmodule'))
    .on('POST /scan', { matched: null, modules: [], diagnostics: [] })
    .on('POST /fpga/0/submit', { job_id: SESSION_ID, fpga_id: 0, status: 'queued' });
  service.nodes = [reserved(0, 'anonymous'), ...service.nodes.slice(1)];
  window.location.hash = '#/node/0/design';
  await show(<App />, service);
  await screen.findByRole('button', { name: 'Submit again' });
  await waitFor(() =>
    expect(screen.getByRole('button', { name: 'Submit again' }).hasAttribute('disabled')).toBe(false),
  );
  fireEvent.keyDown(document.body, { key: 'Enter', ctrlKey: true });
  await waitFor(() => expect(service.asked.some(({ path }) => path.startsWith('/fpga/0/submit'))).toBe(true));
  act(() => setDraft(0, draftOf('echo.v', 'module changed;')));
  const button = await screen.findByRole('button', { name: /^(Submit|Replace|Wait)/ });
  const keys = () => button.querySelector('.button-keys')?.textContent;
  await waitFor(() => expect(keys()).toBe('Enter'));
  act(() => button.blur());
  expect(keys()).toBe('Ctrl Enter');
});
