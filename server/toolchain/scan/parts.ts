import { BenchError } from '../../errors/bench-error.ts';
import { errorsOf } from '../diagnostics/findings.ts';
import type { BuildRequest, ToolContext, ToolEngine } from '../toolchain.ts';
import { elaborate } from './elaborate.ts';
import { type Judgement, judge } from './judge.ts';
import { outlined } from './outlined-design.ts';
import type { PreparedDesign } from './prepared-design.ts';

/** Seconds that reading a part of a design may take. */
const PART = 3;

const noted = ({ scan, lines }: Judgement, note: string): Judgement => ({
  scan,
  lines: [`note: ${note}`, ...lines],
});

/** Null when the tool needs longer than it may. */
export async function inTime<T>(work: Promise<T>): Promise<T | null> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof BenchError && error.code === 'tool_deadline') return null;
    throw error;
  }
}

/** Reads a part of a design: null where that has errors, or takes too long. */
async function readPart(source: PreparedDesign, engine: ToolEngine, context: ToolContext) {
  const quiet: ToolContext = { ...context, log() {} };
  const part = await inTime(elaborate(source, engine, quiet, PART));
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
  return judgement.scan.matched
    ? noted(judgement, 'the initial blocks were not looked at: they take long to elaborate')
    : null;
}
