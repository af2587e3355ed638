import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Diagnostic, MAX_DIAGNOSTICS } from '../../../../../server/contract/diagnostics.ts';
import { BenchError } from '../../../../../server/errors/bench-error.ts';
import { toolchainError } from '../../../../../server/errors/toolchain.ts';
import {
  causeFirst,
  errorsOf,
  Findings,
  withFindings,
} from '../../../../../server/toolchain/diagnostics/findings.ts';

const diagnostics = fc.array(
  fc.record({
    severity: fc.constantFrom<Diagnostic['severity']>('error', 'warning', 'info'),
    code: fc.constantFrom('yosys_error', 'yosys_warning'),
    message: fc.nat(120).map((n) => `message ${n}`),
  }),
  { maxLength: 400 },
);

test('each diagnostic is stored once, within the limit, and no warning displaces an error', () => {
  fc.assert(
    fc.property(diagnostics, (given) => {
      const findings = new Findings(given);
      const keys = findings.all.map(({ code, message }) => `${code} ${message}`);
      expect(new Set(keys).size).toBe(keys.length);
      expect(keys.length).toBeLessThanOrEqual(MAX_DIAGNOSTICS);
      const distinct = new Findings();
      for (const error of errorsOf(given)) distinct.add(error);
      if (keys.length === MAX_DIAGNOSTICS && errorsOf(findings.all).length < MAX_DIAGNOSTICS)
        for (const one of distinct.all) expect(keys).toContain(`${one.code} ${one.message}`);
      const ordered = causeFirst(given).map(({ severity }) => severity === 'error');
      expect(ordered).toEqual([...ordered].sort((a, b) => Number(b) - Number(a)));
      expect(ordered.length).toBeLessThanOrEqual(MAX_DIAGNOSTICS);
    }),
  );
});

test('an error takes the diagnostics along, unless it has its own', () => {
  const found: Diagnostic[] = [
    { severity: 'warning', code: 'yosys_warning', message: 'first' },
    { severity: 'error', code: 'yosys_error', message: 'second' },
  ];
  const plain = toolchainError('tool_failed', { message: 'It failed.', details: { tool: 'yosys' } });
  const error = withFindings(plain, found);
  expect(error).toBeInstanceOf(BenchError);
  expect(error).toMatchObject({
    code: 'tool_failed',
    message: 'It failed.',
    status: 422,
    details: { tool: 'yosys' },
    diagnostics: [found[1], found[0]],
    cause: plain,
  });
  expect(withFindings(error, [])).toBe(error);
  expect(withFindings(error, [{ severity: 'error', code: 'x', message: 'other' }])).toBe(error);
  const fault = new TypeError('a fault of the program');
  expect(withFindings(fault, found)).toBe(fault);
});
