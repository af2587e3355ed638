import type { Diagnostic } from '../../contract/diagnostics.ts';
import { causeFirst, errorsOf } from '../diagnostics/findings.ts';
import { diagnosticLine } from '../diagnostics/text.ts';
import { someOf } from '../match/explain.ts';
import type { BuildRequest, ToolContext, ToolEngine } from '../toolchain.ts';
import { elaborate, elaborateBelow, parses } from './elaborate.ts';
import { inTime } from './in-time.ts';
import {
  initializes,
  initializesMuch,
  MOST_PASSES,
  SQUARE,
  slowInitial,
  type TooLong,
  tooLongLoops,
} from './initial-blocks.ts';
import { type Judgement, judge, judgeAsMade, unreadable } from './judge.ts';
import { type WithoutBroken, withoutBroken } from './left-out.ts';
import { endlessSaid, type Loop, loopsOf, withConditions } from './loops.ts';
import { type MacroGrowth, macroGrowth } from './macro-growth.ts';
import { neededSources } from './needed-sources.ts';
import { outlined } from './outlined-design.ts';
import { inUpload, type LeftOut, type PreparedDesign } from './prepared-design.ts';
import { reportedName } from './tool-paths.ts';

/** Seconds that reading a part of a design may take. */
const PART = 3;

const noted = (judgement: Judgement, note: string): Judgement => ({
  ...judgement,
  lines: [`note: ${note}`, ...judgement.lines],
});

/** The same with something else that is said of the design. */
function warned(judgement: Judgement, warning: Diagnostic | null): Judgement {
  if (!warning) return judgement;
  const { scan, lines } = judgement;
  const diagnostics = causeFirst([...scan.diagnostics, warning]);
  return { ...judgement, scan: { ...scan, diagnostics }, lines: [...lines, diagnosticLine(warning)] };
}

/** Seconds that making the modules with the parameters of their instances may take, to see how large memories are. */
export const MADE = 2;

/** Reads a part of a design, of which nothing is told: null where that takes too long. */
const readQuietly = (source: PreparedDesign, engine: ToolEngine, context: ToolContext) =>
  inTime(elaborate(source, engine, { ...context, log() {} }, PART));

/** The same: null also where it has errors. */
async function readPart(source: PreparedDesign, engine: ToolEngine, context: ToolContext) {
  const part = await readQuietly(source, engine, context);
  return part?.rtlil && errorsOf(part.diagnostics).length === 0 ? { ...part, rtlil: part.rtlil } : null;
}

/** The refusal of a design that has no slave, or several, whatever is in the bodies of its modules; else null. */
export async function refusedByPorts(
  source: PreparedDesign,
  request: Pick<BuildRequest, 'board' | 'options'>,
  engine: ToolEngine,
  context: ToolContext,
): Promise<Judgement | null> {
  const outline = outlined(source, 'ports');
  const ports = outline && (await readPart(outline.source, engine, context));
  if (!outline || !ports) return null;
  const judgement = judge(ports, request, outline.mentions);
  const { outcome, modules } = judgement.scan;
  const sure =
    outcome.kind === 'unknown top' ||
    outcome.kind === 'top is no slave' ||
    (outcome.kind === 'none' && modules.every(({ problem }) => problem !== null)) ||
    // Of slaves within each other only the outer ones count; here some could be taken for inner ones that are not.
    (outcome.kind === 'ambiguous' &&
      outcome.candidates.length === modules.filter(({ problem }) => problem === null).length);
  return sure
    ? noted(judgement, 'only the ports were looked at: what is in the modules takes long to elaborate')
    : null;
}

/** Loops of fewer passes are elaborated with the rest of a part. */
export const LONG_LOOP = 1024;
/** Loops without an end that are asked for, one after the other. */
const MOST_ASKED = 4;
/** A name that is nowhere: what depends on it has an error. */
const NOWHERE = 'wishbench_nowhere';

/** Characters that a macro may become: half a minute of Yosys, which only reads over them. */
const MOST_CHARACTERS = 1 << 26;

/** The refusal of a design with a macro that becomes longer than any tool can read; else null. No tool is asked. */
export function refusedByMacros(source: PreparedDesign): Judgement | null {
  for (const path of source.units) {
    const text = source.files[path];
    const growth = typeof text === 'string' ? macroGrowth(text, MOST_CHARACTERS) : null;
    if (growth) return unreadable(source, [tooLongMacro(path, growth, source)]);
  }
  return null;
}

const tooLongMacro = (
  path: string,
  { name, line, characters }: MacroGrowth,
  source: PreparedDesign,
): Diagnostic => ({
  severity: 'error',
  code: 'design_invalid',
  message: Number.isFinite(characters)
    ? `the macro ${name} becomes ${characters < 1e15 ? characters.toLocaleString('en-US') : `10^${Math.floor(Math.log10(characters))}`} characters; the bench takes on ${MOST_CHARACTERS.toLocaleString('en-US')}`
    : `the macro ${name} uses itself, so it has no end`,
  ...inUpload({ file: reportedName(path), line }, source),
});

/**
 * The refusal of a design with a loop of too many passes, or with a memory that does not fit beside one; else null. Both
 * are seen in the design without its `initial` blocks and with its long loops cut to a single pass.
 * @param only loops that do not end are looked at alone, which is quick; or those of `initial` blocks, with all that
 *   is in these
 */
export async function refusedByLoops(
  source: PreparedDesign,
  request: Pick<BuildRequest, 'board' | 'options'>,
  engine: ToolEngine,
  context: ToolContext,
  only?: 'endless' | 'initial',
): Promise<Judgement | null> {
  const rest = outlined(source, 'all but initial')?.source;
  if (!rest) return null;
  // A loop of a task may be in use by an initial block alone.
  if (only === 'initial' && (tooLongLoops(source, rest).length === 0 || !initializes(source, rest)))
    return null;
  const body = only === 'initial' ? source : rest;
  const found = body.units.flatMap((path) => {
    const text = body.files[path];
    if (typeof text !== 'string') return [];
    const loops = loopsOf(text).filter(({ passes }) => passes >= LONG_LOOP);
    return loops.length > 0 ? [{ path, text, loops }] : [];
  });
  const tooLong = tooLongLoops(body, rest)
    .filter(({ loop: { passes } }) => only !== 'endless' || passes === Number.POSITIVE_INFINITY)
    .sort((a, b) => (a.loop.passes === b.loop.passes ? 0 : b.loop.passes - a.loop.passes))
    .slice(0, MOST_ASKED);
  if (found.length === 0 || (only === 'endless' && tooLong.length === 0)) return null;
  const cut = (of: (loop: Loop, path: string) => string) => {
    const files = { ...body.files };
    for (const { path, text, loops } of found)
      files[path] = withConditions(text, loops, (loop) => of(loop, path));
    return { ...body, files };
  };
  const part = await readPart(
    cut(({ condition }) => condition.once),
    engine,
    context,
  );
  if (!part) return null;
  const judgement = judge(part, request);
  if (judgement.scan.misfit) return noted(judgement, 'its long loops were not looked at');
  for (const long of tooLong) {
    // Whether it is in use at all: where it is not, nothing asks for the name.
    const without = cut((loop, path) =>
      path === long.path && loop.start === long.loop.start
        ? loop.condition.asking(NOWHERE)
        : loop.condition.once,
    );
    const asked = await inTime(elaborate(without, engine, { ...context, log() {} }, PART));
    if (asked?.rtlil === null) return unreadable(source, [tooManyPasses(long, source)]);
  }
  return null;
}

const tooManyPasses = ({ path, loop, most }: TooLong, source: PreparedDesign): Diagnostic => ({
  severity: 'error',
  code: 'design_invalid',
  message: Number.isFinite(loop.passes)
    ? `this loop has ${loop.passes.toLocaleString('en-US')} passes; the bench elaborates ${most.toLocaleString('en-US')}${most < MOST_PASSES ? ` in an initial block: ${SQUARE}` : ''}`
    : endlessSaid(loop),
  ...inUpload({ file: reportedName(path), line: loop.line }, source),
});

/**
 * What the design is without its `initial` blocks, where these have so much in them that reading them would be most of a scan,
 * and what has been read of the rest is enough. Synthesis reads them anyway, and says what is wrong with them.
 * @returns null where they have not, and where the design has to be read whole
 */
export async function leavingInitial(
  source: PreparedDesign,
  request: Pick<BuildRequest, 'board' | 'options'>,
  engine: ToolEngine,
  context: ToolContext,
): Promise<Judgement | null> {
  const body = outlined(source, 'all but initial')?.source;
  if (!body || !initializesMuch(source, body) || tooLongLoops(source, body).length > 0) return null;
  const part = await readPart(body, engine, context);
  if (!part) return null;
  const { edition } = part.source;
  const read = edition ? { ...source, edition } : source;
  const judgement = judge({ ...part, source: read }, request);
  const { matched } = judgement.scan;
  if (!matched) return null;
  // What is left out may be in the other edition of the language: synthesis has to read all of it in one.
  const quiet: ToolContext = { ...context, log() {} };
  if (!(await parses(read, engine, quiet, PART))) return null;
  const made = judgement.dependsOnInstances
    ? await elaborateBelow(matched.module, part.source, engine, quiet, MADE)
    : null;
  const sized = made ? judgeAsMade(judgement, made, request) : judgement;
  const left = noted(sized, 'the initial blocks are left to synthesis: they take long to elaborate');
  return warned(left, slowInitial(source, body));
}

/** The design as it is without its `initial` blocks, where that can be read and has a slave. */
export async function readWithoutInitial(
  source: PreparedDesign,
  request: Pick<BuildRequest, 'board' | 'options'>,
  engine: ToolEngine,
  context: ToolContext,
): Promise<Judgement | null> {
  const outline = outlined(source, 'all but initial');
  const part = outline && (await readPart(outline.source, engine, context));
  if (!part) return null;
  const { edition } = part.source;
  const judgement = judge({ ...part, source: edition ? { ...source, edition } : source }, request);
  if (!judgement.scan.matched) return null;
  // Long loops were read as if they had one pass.
  const cut = { ...judgement, scan: { ...judgement.scan, arithmetic: null } };
  const left = noted(cut, 'the initial blocks were not looked at: they take long to elaborate');
  return warned(left, slowInitial(source, outline.source));
}

/**
 * The same with all that its slave needs read whole, `initial` blocks and long loops as well; null where that takes long, is
 * all of the design, or has errors.
 */
export async function readNeeded(
  part: Judgement,
  request: Pick<BuildRequest, 'board' | 'options'>,
  engine: ToolEngine,
  context: ToolContext,
): Promise<Judgement | null> {
  const { matched, modules, source } = part.scan;
  const { source: needed, unneeded } = neededSources(source, matched?.module ?? '');
  const reading = unneeded.length > 0 ? await readPart(needed, engine, context) : null;
  if (!reading || !matched) return null;
  const judgement = judge(reading, request);
  if (judgement.scan.matched?.module !== matched.module) return null;
  const whole = { ...judgement, scan: { ...judgement.scan, modules, source } };
  return noted(whole, `${matched.module} needs nothing of ${someOf(unneeded)}, which take long to elaborate`);
}

/**
 * What is left of a project without the sources that cannot be read even without their `initial` blocks; null where that takes
 * long, or leaves nothing out.
 */
export async function withoutUnread(
  source: PreparedDesign,
  engine: ToolEngine,
  context: ToolContext,
): Promise<{ rest: PreparedDesign; reading: NonNullable<WithoutBroken['reading']>; left: LeftOut[] } | null> {
  const outline = outlined(source, 'all but initial');
  if (!outline) return null;
  const readRest = (one: PreparedDesign) => readQuietly(one, engine, context);
  const part = await readRest(outline.source);
  if (!part || part.rtlil !== null) return null;
  const { reading, left } = await withoutBroken(outline.source, part, readRest);
  if (!reading) return null;
  const { edition, units } = reading.source;
  return { rest: { ...source, units, ...(edition && { edition }) }, reading, left };
}
