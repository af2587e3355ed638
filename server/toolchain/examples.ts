import { readFileSync } from 'node:fs';
import { resourcePath } from '../paths.ts';

/** One transaction of an example, with what it shows; `op`, `address`, `data`, `count` are those of a RunRequest. */
export interface ExampleStep {
  /** One sentence for a person who tries it. */
  says: string;
  /** Wishbone opcode: 1 write, 2 read. */
  op: 1 | 2;
  /** Byte address. */
  address: number;
  data?: number[];
  count?: number;
  fixed_address?: boolean;
  /** Words that a read must give; null where any word will do. */
  expect?: (number | null)[];
  /** The design answers with an error or not at all: the run completes with `ok` false. */
  fails?: boolean;
}

export interface Example {
  /** Name of the file in resources/examples. */
  file: string;
  title: string;
  description: string;
  /** The naming convention that it follows. */
  dialect: string;
  language: 'verilog' | 'systemverilog' | 'vhdl' | 'amaranth';
  /** To be run in order after the design was submitted. */
  try: ExampleStep[];
}

/** The example designs of resources/examples, the simplest first. */
export function loadExamples(): Example[] {
  return JSON.parse(readFileSync(resourcePath('examples', 'index.json'), 'utf8')) as Example[];
}

/** Source of an example of loadExamples. */
export const exampleSource = (example: Pick<Example, 'file'>): Buffer =>
  readFileSync(resourcePath('examples', example.file));
