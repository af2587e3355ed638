import { readdirSync, readFileSync } from 'node:fs';
import { CompletionContext } from '@codemirror/autocomplete';
import { EditorState } from '@codemirror/state';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { completionsAt, instantiatedModule } from '../../../renderer/src/components/editor/completion.ts';
import { currentLine, declarationFor } from '../../../renderer/src/components/editor/declarations.ts';
import { messageElement } from '../../../renderer/src/components/editor/problems.ts';
import { reindent } from '../../../renderer/src/components/editor/reindent.ts';
import { nameProblem, occurrencesAt } from '../../../renderer/src/components/editor/rename.ts';
import { SLAVE_TEMPLATES } from '../../../renderer/src/components/editor/slave-templates.ts';
import {
  type SourceLanguage,
  sourceLanguage,
  tokensOf,
} from '../../../renderer/src/components/editor/tokens.ts';
import type { Declaration } from '../../../server/contract/designs/declarations.ts';
import { resourcePath } from '../../../server/paths.ts';

/** The editor's functions on a text, without the editor. */

const examples = readdirSync(resourcePath('examples'))
  .filter((name) => sourceLanguage(name) !== undefined)
  .map((name) => ({ name, source: readFileSync(resourcePath('examples', name), 'utf8') }));

/** Pieces that sources are made of, in any order. */
const piece = fc.constantFrom(
  ...[
    'module m (',
    ');',
    'endmodule',
    'begin',
    'end',
    'if (a)',
    'else',
    'case (x)',
    'endcase',
    "8'hFF",
    '"a // b"',
  ],
  ...[
    '// begin',
    '/* ( */',
    '`ifdef X',
    '`endif',
    'x <= y;',
    '\n',
    '\n  ',
    ' ',
    '.clk(clk)',
    "'a'",
    '--',
    '#',
    '\\',
  ],
);
const anySource = fc
  .array(fc.oneof({ weight: 5, arbitrary: piece }, fc.string()), { maxLength: 60 })
  .map((all) => all.join(''));

test.each<SourceLanguage>(['verilog', 'vhdl', 'python'])(
  'the tokens of any %s text concatenate to the text',
  (language) => {
    fc.assert(
      fc.property(anySource, (source) => {
        const tokens = tokensOf(source, language);
        expect(tokens.map(({ text }) => text).join('')).toBe(source);
      }),
    );
  },
);

describe('reindent', () => {
  const dense = (source: string) => source.replace(/^[ \t]+/gm, '');

  test('changes only indentation, and a second run changes nothing', () => {
    fc.assert(
      fc.property(anySource, (source) => {
        const once = reindent(source);
        if (once === null) return;
        expect(dense(once)).toBe(dense(source));
        expect(
          tokensOf(once, 'verilog').flatMap(({ kind, text }) => (kind === 'space' ? [] : [text])),
        ).toEqual(tokensOf(source, 'verilog').flatMap(({ kind, text }) => (kind === 'space' ? [] : [text])));
        expect(reindent(once)).toBe(once);
      }),
    );
  });

  test.each(examples.filter(({ name }) => sourceLanguage(name) === 'verilog'))(
    '$name without indentation is reindented',
    ({ source }) => {
      const indented = reindent(source);
      expect(indented).not.toBeNull();
      // In a source without indentation the editor uses its own step.
      expect(reindent(dense(source))).not.toBeNull();
    },
  );

  test('blocks, cases, lists and single statements are each indented', () => {
    const source = `module m (
input a,
output reg b
);
always @(posedge a)
if (a)
b <= 1;
else begin
case (a)
1'b1: b <= 0;
1'b0:
b <= 1;
default: ;
endcase
end
assign c = d
+ e
+ f;
\`ifdef X
wire g;
\`endif
endmodule
`;
    expect(reindent(source)).toBe(`module m (
  input a,
  output reg b
);
  always @(posedge a)
    if (a)
      b <= 1;
    else begin
      case (a)
        1'b1: b <= 0;
        1'b0:
          b <= 1;
        default: ;
      endcase
    end
  assign c = d
    + e
    + f;
\`ifdef X
  wire g;
\`endif
endmodule
`);
  });

  test.each(['begin', 'end', 'module m(;\nendmodule', 'case (x)\nend'])(
    '%j is unbalanced and stays unchanged',
    (source) => {
      expect(reindent(source)).toBeNull();
    },
  );
});

describe('rename', () => {
  const renamed = (source: string, at: string, to: string, language: SourceLanguage = 'verilog') => {
    const found = occurrencesAt(source, source.indexOf(at), language);
    let text = source;
    for (const { from, to: end } of [...(found?.ranges ?? [])].reverse())
      text = text.slice(0, from) + to + text.slice(end);
    return found === null ? null : text;
  };

  test('a signal is renamed in its module, and not in comments, strings, numbers and ports of instances', () => {
    const source = `module a(input clk); // clk
  wire hff = 8'hff; b u(.clk(clk), .d("clk")); endmodule
module b(input clk); endmodule`;
    expect(renamed(source, 'clk)', 'clock')).toBe(`module a(input clock); // clk
  wire hff = 8'hff; b u(.clk(clock), .d("clk")); endmodule
module b(input clk); endmodule`);
    expect(renamed(source, 'hff', 'x')).toContain("wire x = 8'hff;");
  });

  test('a module is renamed in the whole file', () => {
    expect(renamed('module b; endmodule\nmodule a; b u(); endmodule', 'b', 'c')).toBe(
      'module c; endmodule\nmodule a; c u(); endmodule',
    );
  });

  test('VHDL ignores case, and a formal port belongs to its entity', () => {
    expect(
      renamed('signal Count; COUNT <= count; u: b port map (count => count); -- count', 'Count', 'n', 'vhdl'),
    ).toBe('signal n; n <= n; u: b port map (count => n); -- count');
  });

  test.each([
    ['assign', 'keywords'],
    ['.q', 'the ports of an instance'],
    ['// x', 'comments'],
  ])('%s: %s are not renamed', (at) => {
    const source = 'module a; assign y = 1; b u(.q(y)); // x\nendmodule';
    expect(occurrencesAt(source, source.indexOf(at) + 1, 'verilog')).toBeNull();
  });

  test('a new name must be valid, no keyword and unused', () => {
    const found = occurrencesAt('module a; wire x, y; endmodule', 15, 'verilog');
    if (!found) throw new Error('there is a name');
    expect(['9', 'wire', 'y', 'z', 'x'].map((to) => nameProblem(to, found, 'verilog'))).toEqual([
      'invalid',
      'keyword',
      'taken',
      null,
      null,
    ]);
  });
});

describe('declarations', () => {
  const declarations: Declaration[] = [
    { name: 'a', kind: 'module', module: 'a', file: 'a.v', line: 1 },
    { name: 'x', kind: 'signal', module: 'a', width: 8, file: 'a.v', line: 2 },
    { name: 'b', kind: 'module', module: 'b', file: 'a.v', line: 5 },
    { name: 'x', kind: 'port', module: 'b', direction: 'input', width: 1, file: 'a.v', line: 6 },
  ];

  test('a name refers to the declaration in its module', () => {
    expect(declarationFor(declarations, 'x', 'a.v', 3)?.line).toBe(2);
    expect(declarationFor(declarations, 'x', 'a.v', 7)?.line).toBe(6);
    expect(declarationFor(declarations, 'b', 'a.v', 3)?.kind).toBe('module');
    expect(declarationFor(declarations, 'y', 'a.v', 3)).toBeUndefined();
  });

  test('a declaration is found after lines were inserted above it', () => {
    expect(currentLine('// new\n// x\nmodule a;\nwire x;\nendmodule', 'x', 2, 'verilog')).toBe(4);
  });

  const offered = (source: string, filename = 'a.v') => {
    const state = EditorState.create({ doc: source });
    const language = sourceLanguage(filename) ?? 'verilog';
    const found = completionsAt(new CompletionContext(state, source.length, false), {
      language,
      filename,
      declarations,
    });
    return found?.options.map(({ label }) => label) ?? [];
  };

  test('completion offers module names, keywords and words of the text', () => {
    expect(offered('module a;\nwire typed;\nassign t')).toEqual(
      expect.arrayContaining(['x', 'b', 'wire', 'typed']),
    );
    expect(offered('// a comm')).toEqual([]);
    expect(offered('assign a = "str')).toEqual([]);
    expect(offered("assign a = 8'h")).toEqual([]);
  });

  test('completion offers the module’s ports in an instance', () => {
    expect(instantiatedModule('module a; b #(.W(2)) u (.y(1), ')).toBe('b');
    expect(instantiatedModule('module a; b u (')).toBe('b');
    expect(instantiatedModule('module a; assign y = (')).not.toBe('b');
    expect(offered('module a;\n\n b u (.')).toEqual(['x']);
  });

  test('completion offers slave templates at the beginning of a line in every language', () => {
    expect(offered('sl')).toEqual(expect.arrayContaining(SLAVE_TEMPLATES.verilog.map(({ label }) => label)));
    expect(offered('sl', 'a.vhd')).toContain('slave');
    expect(offered('sl', 'a.py')).toContain('slave');
    expect(offered('assign sl')).not.toContain('slave_caravel');
  });
});

test('the notes of a diagnostic link to their locations', () => {
  const places: object[] = [];
  const element = messageElement(
    {
      severity: 'error',
      code: 'slang_error',
      message: 'redefinition of x',
      file: 'a.v',
      line: 3,
      notes: [
        { message: 'previous definition', file: 'a.v', line: 2 },
        { message: 'instantiated here', file: 'b.v', line: 9 },
      ],
    },
    (place) => places.push(place),
  );
  expect(element.firstChild?.textContent).toBe('Error: redefinition of x');
  const buttons = [...element.querySelectorAll('button')];
  expect(buttons.map(({ textContent }) => textContent)).toEqual([
    'line 2: previous definition',
    'b.v, line 9: instantiated here',
  ]);
  for (const button of buttons) button.click();
  expect(places).toEqual([
    { file: 'a.v', line: 2 },
    { file: 'b.v', line: 9 },
  ]);
});
