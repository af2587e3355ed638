import { act, fireEvent } from '@testing-library/react';
import fc from 'fast-check';
import { afterEach, expect, test, vi } from 'vitest';
import { useStore } from 'zustand';
import { DraftSide } from '../../../renderer/src/screens/node/DraftSide.tsx';
import type { Scan } from '../../../renderer/src/screens/node/use-scan.ts';
import { useSubmission } from '../../../renderer/src/screens/node/use-submission.ts';
import { decodeSource, drafts, encodeSource, setDraft } from '../../../renderer/src/state/drafts/drafts.ts';
import { FakeService } from '../../support/renderer/fake-service.ts';
import { node } from '../../support/renderer/fixtures.ts';
import { show } from '../../support/renderer/render.tsx';

/** The cost of a key in a source for the page around the editor. */

afterEach(() => {
  drafts.setState({}, true);
  vi.restoreAllMocks();
});

const draftOf = (source: string) => ({
  name: 'echo.v',
  files: [{ name: 'echo.v', contents: encodeSource(source) }],
  options: {},
  edited: true,
});

test('typing does not redraw the matcher’s result, and options preserve the typed text', async () => {
  let drawn = 0;
  const found = {
    matched: null,
    diagnostics: [],
    get modules() {
      drawn += 1;
      return [{ name: 'echo', ports: [], problem: null }];
    },
  };
  const scan: Scan = { data: found, busy: false, error: undefined };
  const nowhere = () => {};
  function Side() {
    const draft = useStore(drafts, (state) => state[0]);
    const submission = useSubmission(node(0), draft);
    return draft ? (
      <DraftSide node={node(0)} draft={draft} scan={scan} submission={submission} onPlace={nowhere} />
    ) : null;
  }
  setDraft(0, draftOf('module echo'));
  const { getByLabelText } = await show(<Side />, new FakeService());
  const before = drawn;
  expect(before).toBeGreaterThan(0);
  for (const typed of ['module echo(', 'module echo()', 'module echo();'])
    act(() => setDraft(0, { ...draftOf(typed), options: drafts.getState()[0]?.options ?? {} }));
  expect(drawn).toBe(before);
  fireEvent.change(getByLabelText(/^Top module/), { target: { value: 'echo' } });
  expect(drawn).toBeGreaterThan(before);
  const { options, files } = drafts.getState()[0] ?? {};
  expect(options).toEqual({ top: 'echo' });
  expect(decodeSource(files?.[0]?.contents ?? new Uint8Array())).toBe('module echo();');
});

test('typed text is not decoded again, and decoding matches the bytes sent', () => {
  const decode = vi.spyOn(TextDecoder.prototype, 'decode');
  const contents = encodeSource('module echo; // µ\n');
  expect(decodeSource(contents)).toBe('module echo; // µ\n');
  expect(decode).not.toHaveBeenCalled();
  fc.assert(
    fc.property(
      fc.string({ unit: 'binary' }),
      fc.constantFrom('', '\ufeff', '\ud800', 'a\udc00b'),
      (text, odd) => {
        const sent = encodeSource(odd + text);
        expect(decodeSource(sent)).toBe(decodeSource(Uint8Array.from(sent)));
      },
    ),
  );
});
