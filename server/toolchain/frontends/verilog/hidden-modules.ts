import type { Diagnostic } from '../../../contract/diagnostics.ts';
import { inUpload, type PreparedDesign } from '../../intake/prepared-design.ts';
import { tokenize } from '../../languages/verilog/lexer.ts';
import { readingsOf } from '../../slave/port-names.ts';
import { reportedName } from '../../tool-paths.ts';
import { PreprocessorState } from './preprocessor.ts';

/** Why a design has no module that can be built; null where nothing says why. */
export function noModule(source: PreparedDesign): Diagnostic | null {
  const hidden = hiddenModules(source);
  if (hidden) return hidden;
  for (const path of source.units) {
    const text = String(source.files[path] ?? '');
    const tokens = tokenize(text);
    for (const [why, says] of OTHER_PARTS) {
      const at = tokens.findIndex(({ kind, text: word }) => kind !== 'comment' && why.test(word));
      const token = tokens[at];
      if (!token) continue;
      const name = tokens.slice(at + 1).find(({ kind }) => kind === 'word')?.text ?? '';
      const isPart = tokens.some(
        ({ kind, text: word }, n) =>
          kind === 'word' && word === name && !/^(?:end)?module$/.test(tokens[n - 1]?.text ?? ''),
      );
      return {
        severity: 'error',
        code: 'design_no_slave',
        message: says(name, isPart),
        ...inUpload({ file: reportedName(path), line: token.line }, source),
      };
    }
  }
  return null;
}

/** What a source has that has no module that stands by itself. */
const OTHER_PARTS: readonly [token: RegExp, says: (name: string, isPart: boolean) => string][] = [
  [
    /^module$/,
    (name, isPart) =>
      isPart
        ? `each module is a part of another one, and so of itself: let a condition of a \`generate\` around an instance end that, beginning with ${name}`
        : `module ${name} cannot stand alone: a parameter of it has no value by default; give it one, as in \`parameter WIDTH = 8\``,
  ],
  [
    /^`protect\w*$|^begin_protected$/,
    () =>
      'this source is encrypted, and only the tools of its maker can read it: leave its file out, or write a module of your own in its place',
  ],
  [
    /^interface$/,
    (name) =>
      `module ${name}: it is an interface, which a module has as a port; send it along with that module`,
  ],
  [/^package$/, (name) => `package ${name} has no module: send it along with the modules that use it`],
];

/** Modules that stand behind conditions of the preprocessor that nothing makes true. */
function hiddenModules(source: PreparedDesign): Diagnostic | null {
  const texts = source.units.map((path) => ({ path, text: String(source.files[path] ?? '') }));
  const hidden = texts.flatMap(({ path, text }) => hiddenIn(text).map((one) => ({ ...one, path })));
  const [first, ...others] = hidden;
  if (!first) return null;
  const more = others.length > 0 ? ` and ${others.length} more are` : ' is';
  return {
    severity: 'error',
    code: 'design_no_slave',
    message: `the source defines no module: ${first.name}${more} left out by \`${first.condition}, and that name is not defined there; define it at the top of the file`,
    ...inUpload({ file: reportedName(first.path), line: first.line }, source),
    module: first.name,
  };
}

/** Names that are defined where a design is simulated or proved: what stands behind them is no part of what is built. */
const NOT_BUILT =
  /^ifdef (?:FORMAL|VERIFIC|VERILATOR|SVA|SIM(?:ULATION|ULATE)?|BENCH|TESTBENCH|ASSERT\w*|COVER\w*|PROOF)$/i;

/**
 * The acknowledge output of a module that stands behind a condition of the preprocessor that nothing makes true, where no
 * slave was found. Null where there is none.
 */
export function hiddenBus(source: PreparedDesign): Diagnostic | null {
  const texts = source.units.map((path) => ({ path, text: String(source.files[path] ?? '') }));
  for (const { path, text } of texts) {
    let module: string | undefined;
    let output = false;
    for (const { token, next, condition } of conditionsIn(text)) {
      if (token.kind !== 'word') continue;
      if (token.text === 'module' && condition === null) module = next?.text;
      if (/^(?:input|output|inout)$/.test(token.text)) output = token.text === 'output';
      const isAck = readingsOf(token.text).some(({ stem, weak }) => stem === 'ack' && !weak);
      if (!output || !isAck || !condition || NOT_BUILT.test(condition) || module === undefined) continue;
      return {
        severity: 'error',
        code: 'design_no_slave',
        message: `module ${module}: its output ${token.text} is left out by \`${condition}, and that name is not defined there; define it at the top of the file`,
        ...inUpload({ file: reportedName(path), line: token.line }, source),
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
  /** The condition around it, as it stands in the source. */
  condition: string;
}

function hiddenIn(text: string): Hidden[] {
  return conditionsIn(text).flatMap(({ token, next, condition }) =>
    token.text === 'module' && token.kind === 'word' && condition && next?.kind === 'word'
      ? [{ name: next.text, line: token.line, condition }]
      : [],
  );
}

/** The tokens of a text, each with the first condition around it that does not hold; null where all of them do. */
function conditionsIn(text: string) {
  const state = new PreprocessorState();
  // The conditions around a place; null for one that holds, or does not matter.
  const conditions: (string | null)[] = [];
  const tokens = tokenize(text).filter(({ kind }) => kind !== 'newline' && kind !== 'comment');
  return tokens.map((token, at) => {
    const next = tokens[at + 1];
    if (token.kind === 'directive') {
      const read = state.active;
      state.directive(token, next);
      if (/^`(?:ifdef|ifndef)$/.test(token.text))
        conditions.push(
          read && !state.active && token.text === '`ifdef' ? `ifdef ${next?.text ?? ''}` : null,
        );
      else if (token.text === '`endif') conditions.pop();
    }
    return { token, next, condition: state.active ? null : (conditions.find((one) => one !== null) ?? null) };
  });
}
