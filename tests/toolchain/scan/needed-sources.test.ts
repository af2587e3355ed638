import { expect, test } from 'vitest';
import { neededSources } from '../../../server/toolchain/scan/needed-sources.ts';
import type { PreparedDesign } from '../../../server/toolchain/scan/prepared-design.ts';

const module = (name: string, body = '') =>
  `\`timescale 1ns/1ps\nmodule ${name}(input a);\n${body}\nendmodule\n`;

/** What of a design is left out for a slave. @param included files that sources include, which are no sources of their own */
function unneeded(
  sources: Record<string, string>,
  top: string,
  included: Record<string, string> = {},
): readonly string[] {
  const design: PreparedDesign = {
    language: 'verilog',
    files: { ...sources, ...included },
    units: Object.keys(sources),
    uploaded: Object.keys(sources),
    notes: [],
    diagnostics: [],
  };
  const { source, unneeded } = neededSources(design, top);
  expect([...source.units, ...unneeded].sort()).toEqual([...design.units].sort());
  return unneeded;
}

test('what the slave instantiates is kept, and what that does; nothing else', () => {
  const sources = {
    'other.v': module('other', 'deep d(a);'),
    'top.v': module('top', 'middle #(.W(2)) m(a);'),
    'middle.v': module('middle', 'generate if (W) deep d(a); endgenerate'),
    'deep.v': module('deep'),
    'testing.v': module('testing', 'top t(a);'),
  };
  expect(unneeded(sources, 'top')).toEqual(['other.v', 'testing.v']);
  expect(unneeded(sources, 'testing')).toEqual(['other.v']);
  expect(unneeded(sources, 'deep')).toEqual(['other.v', 'top.v', 'middle.v', 'testing.v']);
});

test.each([
  ['macros', '`define WIDTH 8\n'],
  ['an include', '`include "defs.vh"\n'],
  ['a package', 'package p; endpackage\n'],
  ['an interface', 'interface i; endinterface\n'],
  ['a function for all', 'function f(input a); f = a; endfunction\n'],
  ['a type for all', 'typedef logic word;\n'],
  ['a name that a macro makes', '`MODULE\n'],
])('a source with %s beside its module is kept, with what it speaks of', (_, beside) => {
  const sources = {
    'top.v': module('top'),
    'other.v': beside + module('other', 'deep d(a);'),
    'deep.v': module('deep'),
    'more.v': module('more'),
  };
  expect(unneeded(sources, 'top')).toEqual(['more.v']);
});

test('a module that is named by a macro, in an included file, or with other characters is kept', () => {
  const sources = {
    'top.v': module('top', '`RAM r(a);\n\\fifo f(a);\n`include "parts.vh"'),
    'names.v': '`define RAM ram_of_32 // the larger one\n',
    'ram.v': module('ram_of_32'),
    'small.v': module('ram_of_16'),
    'fifo.v': module('fifo'),
    'part.v': module('part'),
  };
  expect(unneeded(sources, 'top', { 'parts.vh': 'part p(a);\n' })).toEqual(['small.v']);
});

test('where macros put names together nothing is left out', () => {
  const sources = {
    'top.v': `\`define PART(n) part_\`\`n\n${module('top', '`PART(1) p(a);')}`,
    'part.v': module('part_1'),
  };
  expect(unneeded(sources, 'top')).toEqual([]);
});

test('comments and strings name nothing, and a module in two files is kept twice', () => {
  const sources = {
    'top.v': module('top', '// see other\ninitial $display("other");\npart p(a);'),
    'other.v': module('other'),
    'part.v': module('part'),
    'again.v': module('part'),
  };
  expect(unneeded(sources, 'top')).toEqual(['other.v']);
});
