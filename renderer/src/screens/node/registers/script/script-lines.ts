import type {
  Expectation,
  PlainStep,
  Script,
  ScriptStep,
} from '../../../../../../server/contract/jobs/scripts.ts';
import { parseWord } from '../../../../format/words.ts';
import { findByName, type RegisterMap } from '../map/register-map.ts';

/** A step as a line of text; a repeat is a line, its steps, and a line `end`. */
interface ScriptLine {
  text: string;
  /** Number of repeats around it. */
  depth: number;
  /** Its place in the script, as in a report; an `end` has that of its repeat. */
  path: readonly number[];
}

const hex = (word: number): string => `0x${(word >>> 0).toString(16).toUpperCase()}`;

function expectationText(expectation: Expectation): string {
  if (expectation === null) return '*';
  if (typeof expectation === 'number') return hex(expectation);
  if ('mask' in expectation) return `&${hex(expectation.mask)}=${hex(expectation.value)}`;
  if ('min' in expectation) return `${hex(expectation.min)}..${hex(expectation.max)}`;
  return 'save_as' in expectation ? `>${expectation.save_as}` : `$${expectation.saved}`;
}

const marksOf = ({ fixed_address, fails }: { fixed_address?: boolean; fails?: boolean }): string =>
  `${fixed_address ? ' fixed' : ''}${fails ? ' fails' : ''}`;

/** Formats a step. */
function stepText(step: ScriptStep): string {
  const says = 'says' in step && step.says && step.op !== 'comment' ? ` // ${step.says}` : '';
  switch (step.op) {
    case 'write':
      return `write ${hex(step.address)} = ${step.data
        .map((word) => (typeof word === 'number' ? hex(word) : `$${word.saved}`))
        .join(', ')}${marksOf(step)}${says}`;
    case 'read': {
      const expected = step.expect?.map(expectationText).join(', ');
      const count =
        step.count !== undefined && step.count !== (step.expect?.length ?? 1) ? ` x${step.count}` : '';
      return `read ${hex(step.address)}${count}${expected ? ` = ${expected}` : ''}${marksOf(step)}${says}`;
    }
    case 'wait':
      return (
        `wait ${hex(step.address)}${step.mask === undefined ? '' : ` & ${hex(step.mask)}`} = ${hex(step.value)}` +
        `${step.timeout_ms === undefined ? '' : ` within ${step.timeout_ms} ms`}` +
        `${step.every_ms === undefined ? '' : ` every ${step.every_ms} ms`}${says}`
      );
    case 'delay':
      return `delay ${step.ms} ms${says}`;
    case 'comment':
      return `# ${step.says}`;
    case 'repeat':
      return `repeat ${step.times}${says}`;
  }
}

/** The lines of a script. */
export function linesOf({ steps }: Pick<Script, 'steps'>): ScriptLine[] {
  const lines: ScriptLine[] = [];
  const put = (list: readonly ScriptStep[], depth: number, before: readonly number[]) => {
    list.forEach((step, index) => {
      const path = [...before, index];
      lines.push({ text: stepText(step), depth, path });
      if (step.op !== 'repeat') return;
      put(step.steps, depth + 1, path);
      lines.push({ text: 'end', depth, path });
    });
  };
  put(steps, 0, []);
  return lines;
}

/** Why a line is no step: a sentence of the catalogue. */
type LineProblem = 'step' | 'address' | 'words' | 'expectation' | 'number' | 'end' | 'open' | 'empty-repeat';

class BadLine extends Error {
  readonly problem: LineProblem;
  constructor(problem: LineProblem) {
    super(problem);
    this.problem = problem;
  }
}

const NAME = /^[A-Za-z][A-Za-z0-9_]{0,31}$/;

function word(text: string): number {
  const value = parseWord(text);
  if (value === null) throw new BadLine('words');
  return value;
}

function addressOf(text: string, map: RegisterMap | undefined): number {
  const named = findByName(map, text);
  const address = named && !named.field ? named.register.address : parseWord(text);
  if (address === null || address % 4 !== 0) throw new BadLine('address');
  return address;
}

function expectationOf(text: string): Expectation {
  if (text === '*') return null;
  const [first, rest] = [text[0], text.slice(1).trim()];
  if ((first === '>' || first === '$') && NAME.test(rest))
    return first === '>' ? { save_as: rest } : { saved: rest };
  const masked = /^&\s*(\S+?)\s*=\s*(\S+)$/.exec(text);
  if (masked) return { mask: word(masked[1] ?? ''), value: word(masked[2] ?? '') };
  const range = /^(\S+?)\s*\.\.\s*(\S+)$/.exec(text);
  if (range) return { min: word(range[1] ?? ''), max: word(range[2] ?? '') };
  if (parseWord(text) === null) throw new BadLine('expectation');
  return word(text);
}

const wordOrSaved = (text: string) =>
  text.startsWith('$') && NAME.test(text.slice(1)) ? { saved: text.slice(1) } : word(text);

const parts = (text: string): string[] =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');

const whole = (text: string | undefined): number => {
  if (text === undefined || !/^\d{1,9}$/.test(text)) throw new BadLine('number');
  return Number(text);
};

/** Parses a step of one line. @throws BadLine */
function plainStep(line: string, map: RegisterMap | undefined): PlainStep {
  if (line.startsWith('#')) return { op: 'comment', says: line.slice(1).trim() };
  const [, body = '', said] = /^(.*?)(?:\s+\/\/\s*(.*))?$/.exec(line) ?? [];
  const says = said ? { says: said } : {};
  const flags = /^(.*?)((?:\s+(?:fixed|fails))*)$/i.exec(body);
  const marks = {
    ...(/fixed/i.test(flags?.[2] ?? '') && { fixed_address: true }),
    ...(/fails/i.test(flags?.[2] ?? '') && { fails: true }),
  };
  const [, verb = '', rest = ''] = /^(\w+)\s+(.*)$/.exec(flags?.[1]?.trim() ?? '') ?? [];
  switch (verb.toLowerCase()) {
    case 'write': {
      const [, place = '', data = ''] = /^(.*?)\s*=\s*(.*)$/.exec(rest) ?? [];
      const words = parts(data).map(wordOrSaved);
      if (words.length === 0) throw new BadLine('words');
      return { op: 'write', ...says, address: addressOf(place, map), data: words, ...marks };
    }
    case 'read': {
      const [, place = '', count, expected] = /^(.*?)(?:\s+x\s*(\d+))?(?:\s*=\s*(.*))?$/.exec(rest) ?? [];
      const expect = expected === undefined ? [] : parts(expected).map(expectationOf);
      return {
        ...{ op: 'read', ...says, address: addressOf(place, map) },
        ...(count !== undefined && { count: whole(count) }),
        ...(expect.length > 0 && { expect }),
        ...marks,
      };
    }
    case 'wait': {
      const match =
        /^(.*?)(?:\s*&\s*(\S+))?\s*=\s*(\S+)(?:\s+within\s+(\d+)\s*ms)?(?:\s+every\s+(\d+)\s*ms)?$/i.exec(
          rest,
        );
      if (!match) throw new BadLine('step');
      const [, place = '', mask, value = '', within, every] = match;
      return {
        ...{ op: 'wait', ...says, address: addressOf(place, map) },
        ...(mask !== undefined && { mask: word(mask) }),
        value: word(value),
        ...(within !== undefined && { timeout_ms: whole(within) }),
        ...(every !== undefined && { every_ms: whole(every) }),
      };
    }
    case 'delay':
      return { op: 'delay', ...says, ms: whole(/^(\d+)\s*(?:ms)?$/.exec(rest)?.[1]) };
    default:
      throw new BadLine('step');
  }
}

/** Parses lines as steps and skips empty ones; otherwise the index of the first bad line. */
export function stepsOf(
  lines: readonly string[],
  map?: RegisterMap,
): { steps: ScriptStep[] } | { line: number; problem: LineProblem } {
  const top: ScriptStep[] = [];
  const open: { line: number; times: number; says: string | undefined; steps: ScriptStep[] }[] = [];
  for (const [index, raw] of lines.entries()) {
    const line = raw.trim();
    if (line === '') continue;
    try {
      const repeat = /^repeat\s+(\S+)(?:\s+times)?(?:\s+\/\/\s*(.*))?$/i.exec(line);
      const list = open.at(-1)?.steps ?? top;
      if (repeat) open.push({ line: index, times: whole(repeat[1]), says: repeat[2], steps: [] });
      else if (/^end$/i.test(line)) {
        const ended = open.pop();
        if (!ended) throw new BadLine('end');
        if (ended.steps.length === 0) throw new BadLine('empty-repeat');
        const outer = open.at(-1)?.steps ?? top;
        // The service limits the depth of repeats.
        outer.push({
          op: 'repeat',
          ...(ended.says && { says: ended.says }),
          times: ended.times,
          steps: ended.steps as PlainStep[],
        });
      } else list.push(plainStep(line, map));
    } catch (error) {
      if (error instanceof BadLine) return { line: index, problem: error.problem };
      throw error;
    }
  }
  const unclosed = open.at(-1);
  return unclosed ? { line: unclosed.line, problem: 'open' } : { steps: top };
}
