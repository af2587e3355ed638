import { toolchainError } from '../../errors/toolchain.ts';
import { withFindings } from '../diagnostics/findings.ts';
import type { ToolPacking } from '../families/family.ts';
import type { ToolResult } from '../tool-engine.ts';
import { packInThread } from './pack/pack-thread.ts';
import { type StageContext, signalOf, toolLines } from './stage-context.ts';

type Packed = { bitstream: Uint8Array } & Pick<ToolResult, 'seconds'>;

/**
 * Packs the output of place and route into a bitstream.
 * @throws tool_failed when there is none; else the engine's error, with the findings so far
 */
export async function pack(stage: StageContext, placed: Record<string, Uint8Array>): Promise<Packed> {
  const { family, board, build, findings } = stage;
  const packing = family.pack(board);
  build.progress('pack', 0);
  const packed = await (packing.by === 'bench'
    ? packHere(stage, placed[packing.reads])
    : packByTool(stage, packing, placed)
  ).catch((error: unknown) => {
    throw withFindings(error, findings.all);
  });
  build.log('pack', `bitstream of ${packed.bitstream.length} bytes`);
  build.progress('pack', 1);
  return packed;
}

async function packHere(stage: StageContext, configuration: Uint8Array | undefined): Promise<Packed> {
  const { clock, stageDeadline } = stage;
  if (!configuration)
    throw toolchainError('tool_failed', { message: 'Place and route produced nothing to pack.' });
  const began = clock.monotonic();
  const bitstream = await packInThread(configuration, {
    clock,
    deadline: stageDeadline,
    ...signalOf(stage),
  });
  return { bitstream, seconds: (clock.monotonic() - began) / 1000 };
}

async function packByTool(
  stage: StageContext,
  { tool, args, outputs, bitstream: name, files }: ToolPacking,
  placed: Record<string, Uint8Array>,
): Promise<Packed> {
  const lines = toolLines(stage, tool);
  const result = await stage.engine
    .run({
      tool,
      args,
      files: { ...placed, ...files },
      outputs,
      deadline: stage.stageDeadline,
      onLine: (line) => lines.pass('pack', line),
      ...signalOf(stage),
    })
    .finally(lines.end);
  const bitstream = result.files[name];
  if (!bitstream) throw toolchainError('tool_failed', { message: `${tool} produced no bitstream.` });
  return { bitstream, seconds: result.seconds };
}
