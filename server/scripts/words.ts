import { type PlainStep, wordsOf } from '../contract/jobs/scripts.ts';

/** A word or an address, e.g. `0x0000001f`. */
export const hexWord = (value: number): string => `0x${value.toString(16).padStart(8, '0')}`;

const some = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

/** Describes a step that has no description of its own. */
export function describeStep(step: PlainStep): string {
  if (step.says) return step.says;
  const at = 'address' in step ? hexWord(step.address) : '';
  switch (step.op) {
    case 'write':
      return `Write ${some(step.data.length, 'word')} to ${at}`;
    case 'read':
      return `Read ${some(wordsOf(step), 'word')} from ${at}`;
    case 'wait': {
      const masked = step.mask === undefined || step.mask === 0xffff_ffff;
      return `Wait until ${at}${masked ? '' : ` & ${hexWord(step.mask ?? 0)}`} is ${hexWord(step.value)}`;
    }
    case 'delay':
      return `Wait ${step.ms} ms`;
    case 'comment':
      return '';
  }
}

/** The text without lone surrogates, which no encoding has. */
export const wellFormed = (text: string): string => text.replace(/\p{Surrogate}/gu, '\ufffd');
