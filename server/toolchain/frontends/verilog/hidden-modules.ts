import type { Diagnostic } from '../../../contract/diagnostics.ts';
import { inUpload, type PreparedDesign } from '../../intake/prepared-design.ts';
import { sourcePieces } from '../../languages/verilog/source-pieces.ts';
import { readingsOf } from '../../slave/port-names.ts';
import { reportedName } from '../../tool-paths.ts';

/** Explains why a design has no module that can be built; null when no reason is found. */
export function noModule(source: PreparedDesign): Diagnostic | null {
  const hidden = hiddenModules(source);
  if (hidden) return hidden;
  for (const path of source.units) {
    const { pieces, lines } = sourcePieces(String(source.files[path] ?? ''));
    for (const [pattern, message] of OTHER_PARTS) {
      const at = pieces.findIndex(({ text }) => pattern.test(text));
      if (at < 0) continue;
      const name = pieces.slice(at + 1).find(({ kind }) => kind === 'word')?.text ?? '';
      const isPart = pieces.some(
        ({ kind, text }, n) =>
          kind === 'word' && text === name && !/^(?:end)?module$/.test(pieces[n - 1]?.text ?? ''),
      );
      return {
        severity: 'error',
        code: 'design_no_slave',
        message: message(name, isPart),
        ...inUpload({ file: reportedName(path), line: lines[at] ?? 1 }, source),
      };
    }
  }
  return null;
}

/** Reasons of sources without a module that stands by itself. */
const OTHER_PARTS: readonly [token: RegExp, message: (name: string, isPart: boolean) => string][] = [
  [
    /^module$/,
    (name, isPart) =>
      isPart
        ? `every module is instantiated, so a module instantiates itself, directly or through others: end the recursion with a \`generate\` condition around the instance, starting with ${name}`
        : `module ${name} cannot stand alone: one of its parameters has no default value; give it one, as in \`parameter WIDTH = 8\``,
  ],
  [
    /^`protect\w*$|^`pragma\s+protect\b/,
    () =>
      'this source is encrypted, and only the tools of its vendor can read it: remove the file, or write your own module instead',
  ],
  [/^interface$/, (name) => `${name} is an interface: upload it with the module that has it as a port`],
  [/^package$/, (name) => `package ${name} has no module: upload it with the modules that use it`],
];

/** Reports a module inside a preprocessor condition that is false. */
function hiddenModules(source: PreparedDesign): Diagnostic | null {
  const texts = source.units.map((path) => ({ path, text: String(source.files[path] ?? '') }));
  const hidden = texts.flatMap(({ path, text }) => hiddenIn(text).map((one) => ({ ...one, path })));
  const [first, ...others] = hidden;
  if (!first) return null;
  const more = others.length > 0 ? ` and ${others.length} more` : '';
  return {
    severity: 'error',
    code: 'design_no_slave',
    message: `the source defines no module: \`${first.condition} excludes ${first.name}${more}, because that name is not defined; define it at the top of the file`,
    ...inUpload({ file: reportedName(first.path), line: first.line }, source),
    module: first.name,
  };
}

/** Conditions for simulation and formal proofs. Their contents are not built. */
const NOT_BUILT =
  /^ifdef (?:FORMAL|VERIFIC|VERILATOR|SVA|SIM(?:ULATION|ULATE)?|BENCH|TESTBENCH|ASSERT\w*|COVER\w*|PROOF)$/i;

/**
 * Reports the acknowledge output of a module inside a preprocessor condition that is false. It explains a design
 * without a slave; null when there is no such output.
 */
export function hiddenBus(source: PreparedDesign): Diagnostic | null {
  const texts = source.units.map((path) => ({ path, text: String(source.files[path] ?? '') }));
  for (const { path, text } of texts) {
    let module: string | undefined;
    let output = false;
    for (const { token, next, line, condition } of conditionsIn(text)) {
      if (token.kind !== 'word') continue;
      if (token.text === 'module' && condition === null) module = next?.text;
      if (/^(?:input|output|inout)$/.test(token.text)) output = token.text === 'output';
      const isAck = readingsOf(token.text).some(({ stem, weak }) => stem === 'ack' && !weak);
      if (!output || !isAck || !condition || NOT_BUILT.test(condition) || module === undefined) continue;
      return {
        severity: 'error',
        code: 'design_no_slave',
        message: `module ${module}: \`${condition} excludes its output ${token.text}, because that name is not defined; define it at the top of the file`,
        ...inUpload({ file: reportedName(path), line }, source),
        module,
        port: token.text,
      };
    }
  }
  return null;
}

interface Hidden {
  name: string;
  line: number;
  /** The condition around it, as in the source. */
  condition: string;
}

function hiddenIn(text: string): Hidden[] {
  return conditionsIn(text).flatMap(({ token, next, line, condition }) =>
    token.text === 'module' && token.kind === 'word' && condition && next?.kind === 'word'
      ? [{ name: next.text, line, condition }]
      : [],
  );
}

/** Macros that are defined when a source is read for synthesis. */
const DEFINED = ['YOSYS', 'SYNTHESIS'];

/** An open preprocessor condition. `held`: an earlier branch was true. */
interface Branch {
  holds: boolean;
  held: boolean;
  condition: string | null;
}

/** The pieces of a text, each with the first false condition around it; null where all conditions are true. */
function conditionsIn(text: string) {
  const defined = new Set(DEFINED);
  const branches: Branch[] = [];
  const { pieces, lines } = sourcePieces(text);
  return pieces.map((token, at) => {
    const [, word = '', name = ''] = (token.kind === 'directive' && /^`(\w+)\s*(\w*)/.exec(token.text)) || [];
    const isRead = branches.every(({ holds }) => holds);
    const last = branches.at(-1);
    if (word === 'define' && isRead) defined.add(name);
    else if (word === 'undef' && isRead) defined.delete(name);
    else if (/^ifn?def$/.test(word)) {
      const holds = defined.has(name) === (word === 'ifdef');
      const condition = isRead && !holds && word === 'ifdef' ? `ifdef ${name}` : null;
      branches.push({ holds, held: holds, condition });
    } else if (last && /^els(?:e|if)$/.test(word)) {
      last.holds = !last.held && (word === 'else' || defined.has(name));
      last.held ||= last.holds;
    } else if (word === 'endif') branches.pop();
    const condition = branches.every(({ holds }) => holds)
      ? null
      : (branches.find((one) => one.condition !== null)?.condition ?? null);
    return { token, next: pieces[at + 1], line: lines[at] ?? 1, condition };
  });
}
