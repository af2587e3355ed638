import type { Diagnostic } from '../../contract/diagnostics.ts';
import { errorsOf } from '../diagnostics/findings.ts';
import type { ToolContext, ToolEngine } from '../toolchain.ts';
import { ASKED, type Edit, type LongComputation } from './constant/computations.ts';
import { longComputationsIn, placed } from './constant/computations-thread.ts';
import { elaborate } from './elaborate.ts';
import { inUpload, type Judgement, unreadable } from './judge.ts';
import { loopsOf } from './loops.ts';
import { outlined } from './outlined-design.ts';
import { inTime, LONG_LOOP, MOST_PASSES } from './parts.ts';
import type { PreparedDesign } from './prepared-design.ts';
import { reportedName } from './tool-paths.ts';

/** Seconds that Yosys may take for whether one of them is in use: all others are cut. */
const ASK = 3;
/** Computations that are asked for, one after the other. */
const MOST_ASKED = 4;
/** Larger sources are not read: it would take too long. */
const LONGEST = 1 << 20;

/** A function that nothing has: who gets there has an error that names it. */
const NOWHERE = 'wishbench_nowhere';
// A constant function: only in one is that lazy which is behind an `if`.
const ASKING = `function ${ASKED}(input is); if (is) ${ASKED} = ${NOWHERE}(0); else ${ASKED} = 0; endfunction `;

/**
 * The refusal of a design with a constant function, or a loop, that goes on for more passes or calls than the bench
 * takes on; else null. They are computed here, and Yosys is asked whether what goes on is in use at all.
 */
export async function refusedByComputations(
  source: PreparedDesign,
  engine: ToolEngine,
  context: ToolContext,
): Promise<Judgement | null> {
  const body = outlined(source, 'all but initial')?.source;
  if (!body) return null;
  const texts = body.units.flatMap((path) => {
    const text = body.files[path];
    return typeof text === 'string' && text.length <= LONGEST ? [{ path, text }] : [];
  });
  const known = new Set(
    texts.flatMap(({ path, text }) =>
      loopsOf(text)
        .filter(({ passes }) => passes > MOST_PASSES)
        .map(({ condition }) => placed(path, condition.start)),
    ),
  );
  const long = await longComputationsIn({ texts, most: MOST_PASSES, known }, context.signal);
  for (const one of long.slice(0, MOST_ASKED)) {
    const files = { ...body.files };
    for (const { path, text } of texts) files[path] = withEdits(text, editsFor(path, text, one, long));
    const asked = await inTime(elaborate({ ...body, files }, engine, { ...context, log() {} }, ASK));
    if (asked?.rtlil === null && errorsOf(asked.diagnostics).some(({ message }) => message.includes(NOWHERE)))
      return unreadable(source, [goesOn(one, body.files[one.module.path], source)]);
  }
  return null;
}

/** What makes of a text one in which a computation is asked for, and nothing else takes long. */
function editsFor(
  path: string,
  text: string,
  asked: LongComputation,
  long: readonly LongComputation[],
): Edit[] {
  const { module, ask } = asked;
  const own = module.path === path ? [ask, { start: module.end, end: module.end, by: ASKING }] : [];
  const others = long.filter((one) => one !== asked && one.module.path === path).map(({ cut }) => cut);
  const loops = loopsOf(text)
    .filter(({ passes }) => passes >= LONG_LOOP)
    .map(({ condition: { start, end, once } }) => ({ start, end, by: once }));
  return [...own, ...others, ...loops];
}

/** The text with some edits; of two that meet the first one counts. */
function withEdits(text: string, edits: readonly Edit[]): string {
  const taken: Edit[] = [];
  for (const edit of edits)
    if (taken.every(({ start, end }) => edit.end <= start || edit.start >= end)) taken.push(edit);
  let [result, done] = ['', 0];
  for (const { start, end, by } of taken.sort((a, b) => a.start - b.start)) {
    result += text.slice(done, start) + by;
    done = end;
  }
  return result + text.slice(done);
}

const plain = (value: number) => value.toLocaleString('en-US');

function goesOn(
  { module, start, what }: LongComputation,
  text: string | Uint8Array | undefined,
  source: PreparedDesign,
): Diagnostic {
  const lineOf = (offset: number) =>
    (typeof text === 'string' ? text : '').slice(0, offset).split('\n').length;
  const most = `the ${plain(MOST_PASSES)} that the bench elaborates outside of initial blocks`;
  const said = {
    loop: () => `this loop has more passes than ${most}`,
    function: (name: string, given: string, call: number) =>
      `this loop has more passes than ${most}, when the function ${name} is called with ${given} in line ${lineOf(call)}`,
    recursion: (name: string, given: string) =>
      `the function ${name}, called with ${given}, goes on calling itself: there is no end to it that the bench could elaborate`,
  };
  return {
    severity: 'error',
    code: 'design_invalid',
    message:
      what.kind === 'loop'
        ? said.loop()
        : what.kind === 'function'
          ? said.function(what.name, what.given, what.call)
          : said.recursion(what.name, what.given),
    ...inUpload({ file: reportedName(module.path), line: lineOf(start) }, source),
  };
}
