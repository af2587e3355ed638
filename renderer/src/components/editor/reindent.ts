// Indentation of Verilog and SystemVerilog. It changes the white space at the begin of lines, and nothing else.
import { type Token, tokensOf } from './tokens.ts';

const PAIRS: Readonly<Record<string, string>> = {
  begin: 'end',
  case: 'endcase',
  casex: 'endcase',
  casez: 'endcase',
  module: 'endmodule',
  macromodule: 'endmodule',
  interface: 'endinterface',
  package: 'endpackage',
  program: 'endprogram',
  function: 'endfunction',
  task: 'endtask',
  generate: 'endgenerate',
  fork: 'join',
  specify: 'endspecify',
  table: 'endtable',
  primitive: 'endprimitive',
  class: 'endclass',
  '(': ')',
  '[': ']',
  '{': '}',
};
const CLOSERS = new Set([...Object.values(PAIRS), 'join_any', 'join_none']);

/** Words that open nothing after these: `typedef class`, `disable fork`, `extern function`. */
const NO_OPENING = new Set([
  'typedef',
  'disable',
  'wait',
  'extern',
  'pure',
  'virtual',
  'import',
  'export',
  'context',
]);

interface Line {
  from: number;
  /** Where its text begins. */
  textFrom: number;
  tokens: Token[];
  /** Begins inside of a comment or a string, or after a backslash: it stays as it is. */
  fixed: boolean;
}

/** The lines of a source with the tokens that begin in each. */
function linesOf(source: string): Line[] {
  const lines: Line[] = [];
  let from = 0;
  for (const text of source.split('\n')) {
    const textFrom = from + (/^[ \t]*/.exec(text)?.[0].length ?? 0);
    lines.push({ from, textFrom, tokens: [], fixed: false });
    from += text.length + 1;
  }
  let at = 0;
  let directive = false;
  for (const token of tokensOf(source, 'verilog')) {
    while ((lines[at + 1]?.from ?? Number.POSITIVE_INFINITY) <= token.from) at++;
    if (token.kind === 'space') continue;
    lines[at]?.tokens.push(token);
    for (let next = at + 1; (lines[next]?.from ?? Number.POSITIVE_INFINITY) < token.to; next++) {
      const line = lines[next];
      if (line) line.fixed = true;
    }
  }
  for (const line of lines) {
    const last = line.tokens.at(-1);
    if (directive) line.fixed = true;
    directive = last?.text === '\\';
  }
  return lines;
}

/** The step that the source uses: a tab, or the smallest number of spaces. */
function unitOf(source: string): string {
  if (/^\t/m.test(source)) return '\t';
  const steps = [...source.matchAll(/^( +)\S/gm)].map(([, spaces = '']) => spaces.length);
  const least = Math.min(...steps.filter((step) => step > 1));
  return ' '.repeat(Number.isFinite(least) && least <= 8 ? least : 2);
}

/** A line ends a statement, or opens something: the next line does not continue it. */
const isComplete = (text: string): boolean =>
  text === '' || /[;,]$|\b(?:begin|fork|end\w*|join\w*)(?:\s*:\s*\w+)?$/.test(text);

/** A line that ends before the one statement it controls. */
const HEADER =
  /^(?:if|for|foreach|while|repeat|forever|always\w*|initial|final|@|else|end else)\b|^@|\belse$|:$/;

/**
 * Indents a source. Null if its blocks or brackets do not match: then it is not touched.
 */
export function reindent(source: string): string | null {
  const unit = unitOf(source);
  const open: { closer: string; inside: number; line: number }[] = [];
  let continued = 0;
  /** The `if`s that an `else` may belong to, by the number of open blocks around them. */
  let conditions: { blocks: number; continued: number }[] = [];
  let out = '';
  const lines = linesOf(source);
  for (const [at, line] of lines.entries()) {
    const end = (lines[at + 1]?.from ?? source.length + 1) - 1;
    const code = line.tokens.filter(({ kind }) => kind !== 'comment');
    const [first] = code;
    const isDirective = first?.kind === 'directive';
    const closes = first !== undefined && CLOSERS.has(first.text);
    const depth = closes ? leadingDepth(code, open) : (open.at(-1)?.inside ?? 0);
    const starts = first !== undefined && /^(?:begin|[({])$/.test(first.text);
    if (first?.text === 'else') {
      conditions = conditions.filter(({ blocks }) => blocks <= open.length);
      const own = conditions.at(-1)?.blocks === open.length ? conditions.pop() : undefined;
      if (own) continued = own.continued;
    }
    const level = depth + (closes || starts || code.length === 0 ? 0 : continued);
    if (
      /^(?:else )?if$/.test(
        code
          .slice(0, first?.text === 'else' ? 2 : 1)
          .map(({ text: word }) => word)
          .join(' '),
      )
    )
      conditions.push({ blocks: open.length, continued });
    const isEmpty = line.tokens.length === 0;
    const text = source.slice(line.textFrom, end);
    if (line.fixed || isDirective) out += source.slice(line.from, end);
    else out += isEmpty ? text : unit.repeat(Math.max(0, level)) + text;
    if (at < lines.length - 1) out += '\n';
    if (isDirective && !line.fixed) continue;
    for (const [index, { text: word, kind }] of code.entries()) {
      if (kind === 'string' || kind === 'number') continue;
      if (CLOSERS.has(word)) {
        const opener = open.pop();
        const closer = word.startsWith('join') ? 'join' : word;
        if (opener?.closer !== closer) return null;
      } else if (PAIRS[word] !== undefined && !NO_OPENING.has(code[index - 1]?.text ?? ''))
        open.push({ closer: PAIRS[word], inside: Math.max(0, level) + 1, line: at });
    }
    if (code.length === 0) continue;
    const innermost = open.at(-1);
    const opensHere = innermost?.line === at;
    const inBrackets = innermost !== undefined && /[)\]}]/.test(innermost.closer);
    const written = code.map(({ text: word }) => word).join(' ');
    if (opensHere || inBrackets || isComplete(written)) continued = 0;
    // A header adds a step to those before it; an expression over several lines has one step.
    else continued = HEADER.test(written) ? level - depth + 1 : Math.max(level - depth, 1);
  }
  return open.length === 0 ? out : null;
}

/** The indentation of the line that opened what a line of closers closes last. */
function leadingDepth(code: readonly Token[], open: readonly { inside: number }[]): number {
  const other = code.findIndex(({ text }) => !CLOSERS.has(text));
  const count = other < 0 ? code.length : other;
  return Math.max(0, (open[open.length - count]?.inside ?? 1) - 1);
}
