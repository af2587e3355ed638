import { render, screen } from '@testing-library/react';
import { expect, test } from 'vitest';
import { MatchPanel } from '../../../renderer/src/screens/node/MatchPanel.tsx';
import type { ScanResult } from '../../../server/contract/designs/uploads.ts';

const module = (name: string) => ({ name, ports: [], problem: null });
const refused = (code: 'design_no_slave' | 'design_ambiguous' | 'design_top_unknown'): ScanResult => ({
  matched: null,
  modules: [module('uart'), module('timer')],
  diagnostics: [{ severity: 'error', code, message: 'as found', module: 'uart' }],
});

/** The text about a design without a chosen slave. */
function said(result: ScanResult): string {
  const { unmount } = render(
    <MatchPanel scan={{ data: result, busy: false, error: undefined }} onPlace={() => {}} />,
  );
  const text = screen.getByRole('region').querySelector('.match-none')?.textContent ?? '';
  unmount();
  return text;
}

test('a design without a selectable slave is explained by its error', () => {
  expect(said(refused('design_no_slave'))).toMatch(/^No module is a usable Wishbone slave.*documented ports/);
  expect(said(refused('design_ambiguous'))).toMatch(/^More than one module.*top module/);
  expect(said(refused('design_top_unknown'))).toMatch(/^An option does not fit this file/);
  expect(said({ matched: null, modules: [], diagnostics: [] })).toMatch(/could not be elaborated/);
});
