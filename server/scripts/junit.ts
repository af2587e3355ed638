import type { ScriptReport, StepResult } from '../contract/jobs/scripts.ts';
import { describeExpectation } from './expectation.ts';
import { wellFormed } from './words.ts';

/** Text of an XML attribute or element: XML 1.0, section 2.2, has no control characters and no lone surrogates. */
const xmlText = (text: string): string =>
  wellFormed(text)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the ones that XML does not have.
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '\ufffd')
    .replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);

const attributes = (values: Readonly<Record<string, string | number | undefined>>): string =>
  Object.entries(values)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => ` ${name}="${xmlText(String(value))}"`)
    .join('');

const seconds = (ms: number | undefined): string | undefined =>
  ms === undefined ? undefined : (ms / 1000).toFixed(3);

/** A case without an outcome passed. */
export interface JunitCase {
  classname: string;
  name: string;
  ms?: number;
  outcome?: { kind: 'failure' | 'error' | 'skipped'; type?: string; message?: string };
}

export interface JunitSuite {
  name: string;
  /** ISO 8601. */
  at: string;
  ms?: number;
  cases: readonly JunitCase[];
}

const countsOf = (cases: readonly JunitCase[]) => {
  const count = (kind: string) => cases.filter(({ outcome }) => outcome?.kind === kind).length;
  const [failures, errors, skipped] = [count('failure'), count('error'), count('skipped')];
  return { tests: cases.length, failures, errors, skipped };
};

function caseXml({ classname, name, ms, outcome }: JunitCase): string {
  const head = `    <testcase${attributes({ classname, name, time: seconds(ms) })}`;
  if (!outcome) return `${head}/>`;
  const { kind, ...why } = outcome;
  return `${head}>\n      <${kind}${attributes(why)}/>\n    </testcase>`;
}

/** Results for CI servers as JUnit XML. */
export function junitXml(name: string, suites: readonly JunitSuite[]): string {
  const all = countsOf(suites.flatMap(({ cases }) => cases));
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites${attributes({ name, ...all })}>`,
    ...suites.flatMap((suite) => {
      const { cases, at, ms } = suite;
      const time = seconds(ms);
      const head = { name: suite.name, ...countsOf(cases), time, timestamp: at.slice(0, 19) };
      return [`  <testsuite${attributes(head)}>`, ...cases.map(caseXml), '  </testsuite>'];
    }),
    '</testsuites>',
    '',
  ].join('\n');
}

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
export function junitOf({ steps, ms, at, stopped }: ScriptReport, classname: string): string {
  const outcomeOf = (step: StepResult): JunitCase['outcome'] =>
    step.ok === null
      ? { kind: 'skipped', message: stopped?.message ?? 'An earlier step failed.' }
      : { kind: 'failure', type: step.error?.code ?? 'unexpected', message: describeFailure(step) };
  const cases = steps.map((step): JunitCase => {
    const name = `${step.step.map((index) => index + 1).join('.')} ${step.says}`;
    const outcome = step.ok ? undefined : outcomeOf(step);
    return { classname, name, ms: step.ms, ...(outcome && { outcome }) };
  });
  if (stopped) {
    const outcome = { kind: 'error', type: stopped.code, message: stopped.message } as const;
    cases.push({ classname, name: 'the whole script', ms, outcome });
  }
  return junitXml(classname, [{ name: classname, at, ms, cases }]);
}
