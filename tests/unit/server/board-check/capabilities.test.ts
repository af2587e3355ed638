import { expect, test } from 'vitest';
import {
  capabilitiesOf,
  evidenceOfReport,
  loadEvidence,
  summarise,
} from '../../../../server/board-check/capabilities.ts';
import { loadCatalogue } from '../../../../server/boards/catalogue/index.ts';
import type { BoardCheck } from '../../../../server/contract/boards/board-checks.ts';
import type { Evidence } from '../../../../server/contract/boards/capabilities.ts';
import { judgeEvidence, renewEvidence, type Witness } from '../../../support/evidence.ts';

const catalogue = loadCatalogue();

test('evidence names boards of the catalogue and their capabilities', async () => {
  for (const { board, capability, test: name } of await loadEvidence()) {
    const definition = catalogue.get(board);
    expect(definition, name).toBeDefined();
    expect(capabilitiesOf(definition!), name).toContain(capability);
  }
});

const evidence = (test: string, change: Partial<Evidence> = {}): Evidence => ({
  board: 'icestick',
  capability: 'link',
  proof: 'emulated',
  system: 'linux',
  test,
  ...change,
});

test('the strongest proof of a capability counts for each system; none exists without evidence', () => {
  const report = summarise(catalogue, [
    evidence('a > one'),
    evidence('a > two'),
    evidence('b > three', { proof: 'kernel' }),
    evidence('c > four', { system: 'win32', proof: 'build', capability: 'build' }),
  ]);
  expect(report.boards.find(({ board }) => board === 'icestick')?.proven).toEqual([
    { system: 'linux', capability: 'link', proof: 'kernel', tests: 1 },
    { system: 'win32', capability: 'build', proof: 'build', tests: 1 },
  ]);
  expect(report.boards.find(({ board }) => board === 'icebreaker')?.proven).toEqual([]);
});

test('recorded and proven evidence must agree; skipped tests are exempt', () => {
  const { test: _test, ...proven } = evidence('');
  const witness = (test: string, passed: boolean, some = [proven]): Witness => ({
    test,
    passed,
    proves: some,
  });
  const judge = (recorded: Evidence[], ...ran: Witness[]) => judgeEvidence(recorded, ran, 'linux');
  expect(judge([evidence('a > one')], witness('a > one', true))).toEqual([]);
  expect(judge([], witness('a > one', true))).toEqual([
    expect.stringMatching(/^Proven, and not written down.*a > one$/),
  ]);
  const stale = [expect.stringMatching(/^Written down, and not proven.*a > one$/)];
  expect(judge([evidence('a > one')], witness('a > one', true, []))).toEqual(stale);
  expect(judge([evidence('a > one')], witness('a > another', true, []))).toEqual(stale);
  expect(judge([evidence('a > one')], witness('a > one', false, []))).toEqual([]);
  expect(judge([evidence('a > one')], witness('b > one', true, []))).toEqual([]);
  const elsewhere = evidence('a > one', { system: 'darwin' });
  expect(renewEvidence([elsewhere], [witness('a > one', true)], 'linux')).toEqual([
    elsewhere,
    evidence('a > one'),
  ]);
});

test('only a passed report of a real board proves capabilities', () => {
  const check = {
    state: 'passed',
    board: { kind: 'usb', definition: 'icestick', mode: 'flash' },
    system: { platform: 'linux' },
  } as BoardCheck;
  expect(evidenceOfReport(check, 'x.report.md').map(({ capability }) => capability)).toEqual([
    'build',
    'discover',
    'program-flash',
    'link',
  ]);
  expect(evidenceOfReport({ ...check, state: 'failed' }, 'x.report.md')).toEqual([]);
  expect(evidenceOfReport({ ...check, board: { ...check.board, kind: 'virtual' } }, 'x.report.md')).toEqual(
    [],
  );
});
