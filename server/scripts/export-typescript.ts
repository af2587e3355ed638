import type { Expectation, Script, ScriptStep } from '../contract/jobs/scripts.ts';
import { wordsOf } from '../contract/jobs/scripts.ts';
import { describeStep, hexWord, wellFormed } from './words.ts';

const quoted = (text: string): string => JSON.stringify(wellFormed(text));

function expectationOf(expectation: Expectation): string {
  if (expectation === null || typeof expectation === 'number') return String(expectation);
  if ('mask' in expectation) return `masked(${expectation.mask}, ${expectation.value})`;
  if ('min' in expectation) return `within(${expectation.min}, ${expectation.max})`;
  if ('saved' in expectation) return `same(${quoted(expectation.saved)})`;
  return `save(${quoted(expectation.save_as)})`;
}

function linesOf(steps: readonly ScriptStep[], indent: string, depth: number): string[] {
  return steps.flatMap((step) => {
    if (step.op === 'repeat') {
      const index = `i${depth}`;
      return [
        ...(step.says ? [`${indent}// ${step.says}`] : []),
        `${indent}for (let ${index} = 0; ${index} < ${step.times}; ${index}++) {`,
        ...linesOf(step.steps, `${indent}  `, depth + 1),
        `${indent}}`,
      ];
    }
    if (step.op === 'comment') return [`${indent}console.log(${quoted(step.says)});`];
    if (step.op === 'delay') return [`${indent}await sleep(${step.ms});`];
    const head = `${quoted(describeStep(step))}, ${hexWord(step.address)}`;
    if (step.op === 'wait') {
      const { mask = 0xffff_ffff, value, timeout_ms = 1000, every_ms = 10 } = step;
      const options = `{ mask: ${mask}, timeout: ${timeout_ms / 1000}, every: ${every_ms / 1000} }`;
      return [`${indent}await wait(${head}, ${value}, ${options});`];
    }
    const { fixed_address: fixed, fails } = step;
    const more = [...(fixed ? ['fixed: true'] : []), ...(fails ? ['fails: true'] : [])].join(', ');
    const options = more === '' ? '' : `, { ${more} }`;
    if (step.op === 'read')
      return [
        `${indent}await read(${head}, ${wordsOf(step)}, [${(step.expect ?? []).map(expectationOf).join(', ')}]${options});`,
      ];
    const words = step.data.map((word) =>
      typeof word === 'number' ? word : `savedAs(${quoted(word.saved)})`,
    );
    return [`${indent}await write(${head}, () => [${words.join(', ')}]${options});`];
  });
}

/**
 * Writes a script as a TypeScript program for the bench's client.
 * @param file the design that it programs by default
 * @param url the bench that it calls by default
 */
export function typescriptOf(
  { says, steps, stop_on_failure: stops = false }: Script,
  file: string,
  url: string,
): string {
  return `// ${says || 'What a design does, step by step.'}
//
//   node script.ts [FILE]              builds FILE, programs an idle node with it and releases the node
//   WISHBENCH_NODE=3 node script.ts    runs on node 3, which you already hold
//
// In a project that has wishbench-client; Node before 22.18 runs what \`tsc\` makes of it. WISHBENCH_URL and WISHBENCH_KEY
// say where the bench is and who calls. Exits with 1 if a step failed.
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { Bench, JobFailedError, type PollOptions, PollTimeoutError, StreamError } from 'wishbench-client';

interface Access {
  fixed?: boolean;
  fails?: boolean;
}
type Expected = null | number | ((word: number) => boolean);

const STOP_ON_FAILURE: boolean = ${stops};
const saved = new Map<string, number>();
let failures = 0;

class Stop extends Error {}

function show(ok: boolean, says: string, why = ''): void {
  console.log(ok ? 'ok  ' : 'FAIL', ok || why === '' ? says : \`\${says}: \${why}\`);
  if (ok) return;
  failures++;
  if (STOP_ON_FAILURE) throw new Stop();
}

const masked = (mask: number, value: number) => (word: number) => (word & mask) === (value & mask);
const within = (least: number, most: number) => (word: number) => word >= least && word <= most;
const save = (name: string) => (word: number) => saved.set(name, word) === saved;
const same = (name: string) => (word: number) => saved.get(name) === word;
const meets = (expected: Expected, word: number): boolean =>
  expected === null || (typeof expected === 'number' ? expected === word : expected(word));
function savedAs(name: string): number {
  const word = saved.get(name);
  if (word === undefined) throw new RangeError(\`no word was saved as \${name}\`);
  return word;
}

/** Whether the design did not acknowledge. */
const isBusFault = (error: unknown): boolean =>
  (error instanceof StreamError && error.code.startsWith('bus_')) ||
  (error instanceof JobFailedError && error.code === 'no_acknowledge');

const bench = new Bench({ url: process.env['WISHBENCH_URL'] || ${quoted(url)} });
const [, , design] = process.argv;
const own = design === undefined ? process.env['WISHBENCH_NODE'] : undefined;
const programmed = own ? undefined : await bench.program(design ?? ${quoted(file)});
const node = programmed ?? (await bench.node(Number(own)));

async function write(says: string, address: number, words: () => number[], access: Access = {}): Promise<void> {
  const { fixed = false, fails = false } = access;
  try {
    await node.write(address, words(), { fixed });
  } catch (error) {
    if (error instanceof RangeError) return show(false, says, error.message);
    if (!isBusFault(error)) throw error;
    return show(fails, says, 'the design did not acknowledge');
  }
  show(!fails, says, 'the design acknowledged');
}

async function read(
  says: string,
  address: number,
  count: number,
  expected: Expected[],
  access: Access = {},
): Promise<void> {
  const { fixed = false, fails = false } = access;
  let words: number[];
  try {
    words = await node.read(address, count, { fixed });
  } catch (error) {
    if (!isBusFault(error)) throw error;
    return show(fails, says, 'the design did not acknowledge');
  }
  if (fails) return show(false, says, 'the design acknowledged');
  const wrong = expected.map((one, at) => meets(one, words[at] ?? 0)).indexOf(false);
  show(wrong < 0, says, \`word \${wrong} is 0x\${(words[wrong] ?? 0).toString(16)}\`);
}

async function wait(says: string, address: number, value: number, options: PollOptions): Promise<void> {
  const mask = options.mask ?? 0xffffffff;
  try {
    await node.poll(address, (word: number) => (word & mask) === (value & mask), options);
  } catch (error) {
    if (!(error instanceof PollTimeoutError) && !isBusFault(error)) throw error;
    return show(false, says, (error as Error).message);
  }
  show(true, says);
}

// Not every script uses all of these.
void [sleep, masked, within, save, same, savedAs, write, read, wait];

try {
${linesOf(steps, '  ', 1).join('\n')}
} catch (error) {
  if (!(error instanceof Stop)) throw error;
} finally {
  if (programmed) await programmed.release();
  else node.close();
}
process.exitCode = failures > 0 ? 1 : 0;
`;
}
