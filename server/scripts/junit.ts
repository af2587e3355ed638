import type { ScriptReport, StepResult } from '../contract/jobs/scripts.ts';
import { describeExpectation } from './expectation.ts';
import { wellFormed } from './words.ts';

/** Text of an XML attribute or element: XML 1.0, section 2.2, has no control characters and no lone surrogates. */
export const xmlText = (text: string): string =>
  wellFormed(text)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the ones that XML does not have.
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '\ufffd')
    .replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);

const seconds = (ms: number): string => (ms / 1000).toFixed(3);

/** Describes the failure of a step in a sentence. */
export function describeFailure({ error, expected, got, word, failures, times }: StepResult): string {
  const often = times > 1 ? ` (${failures} of ${times} times)` : '';
  const at = word ?? 0;
  const differs =
    expected && got
      ? `word ${at} is 0x${(got[Math.min(at, got.length - 1)] ?? 0).toString(16)}, expected ${describeExpectation(
          expected[Math.min(at, expected.length - 1)] ?? null,
        )}`
      : '';
  return `${[error?.message ?? '', differs].filter((part) => part !== '').join(' ')}${often}`;
}

/** A report for CI servers: JUnit XML, one test case a step. */
export function junitOf(report: ScriptReport, name: string): string {
  const { steps, failed, skipped, ms, at, stopped } = report;
  const cases = steps.map((step) => {
    const title = `${step.step.map((index) => index + 1).join('.')} ${step.says}`;
    const head = `    <testcase classname="${xmlText(name)}" name="${xmlText(title)}" time="${seconds(step.ms)}"`;
    if (step.ok) return `${head}/>`;
    const inner =
      step.ok === null
        ? `<skipped message="${xmlText(stopped?.message ?? 'A step before it failed.')}"/>`
        : `<failure type="${xmlText(step.error?.code ?? 'unexpected')}" message="${xmlText(describeFailure(step))}"/>`;
    return `${head}>\n      ${inner}\n    </testcase>`;
  });
  const errors = stopped ? 1 : 0;
  if (stopped)
    cases.push(
      `    <testcase classname="${xmlText(name)}" name="the whole script" time="${seconds(ms)}">`,
      `      <error type="${xmlText(stopped.code)}" message="${xmlText(stopped.message)}"/>`,
      '    </testcase>',
    );
  const counts = `tests="${steps.length + errors}" failures="${failed}" errors="${errors}" skipped="${skipped}" time="${seconds(ms)}"`;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites ${counts}>`,
    `  <testsuite name="${xmlText(name)}" ${counts} timestamp="${at.slice(0, 19)}">`,
    ...cases,
    '  </testsuite>',
    '</testsuites>',
    '',
  ].join('\n');
}
