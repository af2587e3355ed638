import type { Diagnostic } from '../../contract/diagnostics.ts';
import { errorsOf } from '../diagnostics/findings.ts';
import type { ToolContext, ToolEngine } from '../toolchain.ts';
import { ASKED, type Edit, type LongComputation, longBelow } from './constant/computations.ts';
import { longComputationsIn, placed } from './constant/computations-thread.ts';
import { modulesOf } from './constant/modules.ts';
import { leadingToThemselves } from './constant/recursion.ts';
import { elaborate } from './elaborate.ts';
import { refusedByRecursion } from './endless-instances.ts';
import { inTime } from './in-time.ts';
import { MOST_PASSES } from './initial-blocks.ts';
import { type Judgement, unreadable } from './judge.ts';
import { endlessSaid, loopsOf } from './loops.ts';
import { outlined } from './outlined-design.ts';
import { LONG_LOOP } from './parts.ts';
import { inUpload, lineIn, type PreparedDesign } from './prepared-design.ts';
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

interface SourceText {
  path: string;
  text: string;
}

const textsOf = (body: PreparedDesign): SourceText[] =>
  body.units.flatMap((path) => {
    const text = body.files[path];
    return typeof text === 'string' && text.length <= LONGEST ? [{ path, text }] : [];
  });

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
  const asked = new Set<string>();
  // What is in initial blocks alone is looked for behind the rest: with them Yosys may take too long to answer.
  const initial = textsOf(source).some(({ path, text }) => text !== body.files[path]);
  for (const one of initial ? [body, source] : [body]) {
    const texts = textsOf(one);
    const known = new Set(
      texts.flatMap(({ path, text }) =>
        loopsOf(text)
          .filter(({ passes }) => passes > MOST_PASSES)
          .map(({ condition }) => placed(path, condition.start)),
      ),
    );
    const long = await longComputationsIn({ texts, most: MOST_PASSES, known, top: null }, context.signal);
    const inBody = (of: LongComputation) =>
      JSON.stringify([of.module.path, lineIn(one, of.module.path, of.start), { ...of.what, call: 0 }]);
    const news = long.filter((of) => !asked.has(inBody(of)));
    for (const of of long) asked.add(inBody(of));
    const refused = await inUse({ source, body: one, texts, long }, news, engine, context);
    if (refused) return refused;
  }
  return null;
}

/** Statements of functions that are computed, to see whether there may be something that takes long. */
const SOON = 1 << 16;

/**
 * The same of modules below the slave as instances make them, with other parameters than by themselves, or within each other:
 * synthesis makes them so, and nothing that was read before shows it.
 */
export async function refusedByInstances(
  source: PreparedDesign,
  top: string,
  engine: ToolEngine,
  context: ToolContext,
): Promise<Judgement | null> {
  const texts = textsOf(source);
  const modules = texts.flatMap(({ path, text }) => modulesOf(text, path));
  if (leadingToThemselves(modules).has(top)) {
    const refused = await refusedByRecursion(source, texts, top, engine, context);
    if (refused) return refused;
  }
  if (longBelow(modules, top, SOON, SOON)?.length === 0) return null;
  const most = { most: MOST_PASSES, known: new Set<string>(), top };
  const long = await longComputationsIn({ texts, ...most }, context.signal);
  return inUse({ source, body: source, texts, long }, long, engine, context, top);
}

interface Looked {
  source: PreparedDesign;
  /** What of it was looked at, and is asked for. */
  body: PreparedDesign;
  texts: readonly SourceText[];
  long: readonly LongComputation[];
}

/** The refusal for the first of some computations that is in use. */
async function inUse(
  { source, body, texts, long }: Looked,
  news: readonly LongComputation[],
  engine: ToolEngine,
  context: ToolContext,
  top?: string,
): Promise<Judgement | null> {
  for (const one of news.slice(0, MOST_ASKED)) {
    const files = { ...body.files };
    for (const { path, text } of texts) files[path] = withEdits(text, editsFor(path, text, one, long));
    const quiet: ToolContext = { ...context, log() {} };
    const asked = await inTime(elaborate({ ...body, files }, engine, quiet, ASK, top));
    if (asked?.rtlil === null && errorsOf(asked.diagnostics).some(({ message }) => message.includes(NOWHERE)))
      return unreadable(source, [goesOn(one, body, source)]);
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
  { module, start, instance, what }: LongComputation,
  body: PreparedDesign,
  source: PreparedDesign,
): Diagnostic {
  const line = (offset: number) => lineIn(body, module.path, offset);
  const most = plain(MOST_PASSES);
  const file = instance && instance.path !== module.path ? ` of ${reportedName(instance.path)}` : '';
  const where = instance
    ? ` in the instance ${instance.name} of line ${lineIn(body, instance.path, instance.start)}${file}, with ${instance.given}${setBy(instance.defparams)}`
    : '';
  const tooMany = `this loop has more passes than the ${most} that the bench elaborates`;
  return {
    severity: 'error',
    code: 'design_invalid',
    message: messageOf(),
    ...inUpload({ file: reportedName(module.path), line: line(start) }, source),
  };

  function setBy(defparams: readonly { path: string; start: number }[]): string {
    const places = defparams.map(
      ({ path, start }) =>
        `line ${lineIn(body, path, start)}${path === module.path ? '' : ` of ${reportedName(path)}`}`,
    );
    return places.length > 0 ? ` by the defparam of ${[...new Set(places)].join(' and ')}` : '';
  }

  function messageOf(): string {
    switch (what.kind) {
      case 'loop':
        if (what.passes === null) return `${tooMany}${where}`;
        return Number.isFinite(what.passes)
          ? `this loop has ${plain(what.passes)} passes${where}; the bench elaborates ${most}`
          : `${endlessSaid(what)}${where}`;
      case 'function':
        return `${tooMany}, when the function ${what.name} is called with ${what.given} in line ${line(what.call)}${where}`;
      case 'recursion':
        return `the function ${what.name}, called with ${what.given}${where}, goes on calling itself: there is no end to it that the bench could elaborate`;
    }
  }
}
