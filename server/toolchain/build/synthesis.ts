import type { Diagnostic } from '../../contract/diagnostics.ts';
import { BenchError } from '../../errors/bench-error.ts';
import { toolchainError } from '../../errors/toolchain.ts';
import { causeFirst, errorsOf, withFindings } from '../diagnostics/findings.ts';
import { RefusedMemories, type RefusedMemory } from '../diagnostics/refused-memories.ts';
import { diagnosticLine, headline } from '../diagnostics/text.ts';
import { INVERTERS, NETLIST, STATISTICS, type SynthesisSteps } from '../families/family.ts';
import type { ToolFiles, ToolResult } from '../tool-engine.ts';
import { synthesisProgress } from './progress.ts';
import { type StageContext, signalOf, toolLines } from './stage-context.ts';

/** Inputs of synthesis. */
export interface SynthesisSources extends Pick<SynthesisSteps, 'arithmetic' | 'cells' | 'whenFlat'> {
  /** All source files, with included ones. */
  files: ToolFiles;
  /** Yosys commands that read them. */
  read: string[];
  top: string;
  /** Error for a register that is loaded without its clock, which no part has; null when the design has none. */
  loaded?: Diagnostic | null;
  /** Yosys commands that insert the base gates: SynthesisSteps.atGates. */
  atGates?: readonly string[];
  /** Additions for a capture core. */
  probing?: {
    /** Commands that connect it. */
    whenFlat: readonly string[];
    /** The command that counts its cells, and the file that it writes. */
    count: string;
    counted: string;
  };
}

/** Output of synthesis. */
export interface SynthesisResult extends Pick<ToolResult, 'seconds' | 'peakMemory'> {
  netlist: Uint8Array;
  statistics: Uint8Array;
  /** INVERTERS; null for a family that does not write it. */
  inverters: Uint8Array | null;
  /** Statistics of the capture core only; null without one. */
  ofCore: Uint8Array | null;
}

/** Yosys's error for a register that the part does not have. */
const NO_SUCH_REGISTER = /^ERROR: FF \S+ \(type \$_(?:ALDFF|DFFSR)\w*\) cannot be legalized/;

/**
 * Runs Yosys from the sources to a netlist of the part's cells.
 * @throws design_invalid with a place in the source; build_too_large for memories that would become registers; else the
 *   engine's error
 */
export async function synthesise(context: StageContext, sources: SynthesisSources): Promise<SynthesisResult> {
  const { engine, family, board, build } = context;
  const { probing, atGates, arithmetic = null, cells = false, whenFlat = [] } = sources;
  const steps = {
    whenFlat: [...whenFlat, ...(probing?.whenFlat ?? [])],
    ...(atGates && { atGates }),
    arithmetic,
    cells,
  };
  const script = [
    ...sources.read,
    ...family.synthesis(board, sources.top, steps),
    ...(probing ? [probing.count] : []),
  ];
  const progress = synthesisProgress();
  const memories = new RefusedMemories();
  const lines = toolLines(context, 'yosys');
  build.progress('synthesis', 0);
  try {
    const result = await engine.run({
      tool: 'yosys',
      args: ['-s', 'build.ys'],
      files: {
        ...sources.files,
        ...family.synthesisFiles,
        'build.ys': `${script.join('\n')}\n`,
      },
      outputs: [NETLIST, STATISTICS, INVERTERS, ...(probing ? [probing.counted] : [])],
      deadline: context.stageDeadline,
      onLine(line) {
        const reached = progress(line);
        if (reached) build.progress(reached.stage, reached.fraction);
        const { loaded } = sources;
        if (!loaded || !NO_SUCH_REGISTER.test(line)) return lines.pass('synthesis', memories.read(line));
        context.findings.add(loaded);
        build.log('synthesis', diagnosticLine(loaded));
      },
      ...signalOf(context),
    });
    const netlist = result.files[NETLIST];
    const statistics = result.files[STATISTICS];
    if (!netlist || !statistics)
      throw toolchainError('tool_failed', { message: 'Yosys produced no netlist.' });
    build.progress('synthesis', 1);
    const ofCore = probing ? (result.files[probing.counted] ?? null) : null;
    const inverters = result.files[INVERTERS] ?? null;
    return { ...result, netlist, statistics, inverters, ofCore };
  } catch (error) {
    throw explain(context, error, memories.refused);
  } finally {
    lines.end();
  }
}

function explain(context: StageContext, error: unknown, refused: RefusedMemory | null): unknown {
  const { findings, uploaded } = context;
  if (!(error instanceof BenchError) || error.code !== 'tool_failed')
    return withFindings(error, findings.all);
  if (refused) {
    const { name, place } = refused;
    const message = `${name === null ? 'a memory of the design' : `the memory ${name}`} cannot be mapped to block RAM and is too large for registers`;
    const tooLarge: Diagnostic = {
      severity: 'error',
      code: 'build_too_large',
      message,
      ...place,
      ...(name !== null && { net: name }),
    };
    return toolchainError('build_too_large', {
      message: headline(tooLarge, 1),
      remedy:
        'Read it synchronously (always @(posedge clk) q <= mem[address];), write at most one word per clock, and do not reset its words. Or make it smaller.',
      diagnostics: causeFirst([tooLarge, ...findings.all]),
      cause: error,
    });
  }
  const errors = errorsOf(findings.all);
  const first =
    errors.find(({ file }) => file !== undefined && uploaded.includes(file)) ??
    // An error about a name of the design is the design's, also without a place.
    errors.find(({ module, net }) => module !== undefined || net !== undefined);
  return first ? invalid(first, findings.all, error) : withFindings(error, findings.all);
}

/** design_invalid for an error of the design, which comes first among the diagnostics. */
function invalid(error: Diagnostic, found: readonly Diagnostic[], cause: unknown): BenchError {
  return toolchainError('design_invalid', {
    message: headline(error, 1),
    diagnostics: causeFirst([error, ...found.filter((other) => other !== error)]),
    cause,
  });
}
