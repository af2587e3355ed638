import { Exit, runYosys } from '@yowasp/yosys';
import type { BoardDefinition } from '../../server/boards/definition.ts';
import { systemClock } from '../../server/clock.ts';
import type { SubmitOptions } from '../../server/contract/jobs.ts';
import { DEFAULT_SETTINGS } from '../../server/contract/settings.ts';
import { toolchainError } from '../../server/errors/toolchain.ts';
import { silentLogger } from '../../server/log.ts';
import { type DesignScan, scanDesign } from '../../server/toolchain/scan/scan.ts';
import type { BuildRequest, ToolContext, ToolEngine } from '../../server/toolchain/toolchain.ts';

/** What an engine is made with where a test does not care. */
export const engineOptions = {
  logger: silentLogger,
  clock: systemClock,
  memoryLimit: DEFAULT_SETTINGS.toolchain.memory_bytes,
};

/** Yosys in this process: nothing but the tool itself between a test and what it checks. */
export const plainYosys: ToolEngine = {
  name: 'embedded',
  versions: async () => ({}),
  supports: () => true,
  close: async () => {},
  async run({ tool, args, files, outputs, onLine }) {
    if (tool !== 'yosys') throw toolchainError('tool_missing');
    let rest = '';
    const decoder = new TextDecoder();
    const write = (bytes: Uint8Array | null) => {
      const lines = (rest + (bytes ? decoder.decode(bytes, { stream: true }) : '\n')).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) onLine(line);
    };
    try {
      const tree = (await runYosys(
        args,
        { ...files },
        { stdout: write, stderr: write, decodeASCII: false },
      )) as Record<string, Uint8Array>;
      return { files: Object.fromEntries(outputs.map((name) => [name, tree[name]!])), seconds: 0 };
    } catch (error) {
      if (error instanceof Exit) throw toolchainError('tool_failed');
      throw error;
    } finally {
      write(null);
    }
  },
};

const board = {
  id: 'virtual-hx8k',
  fpga: { family: 'ice40', part: 'hx8k', package: 'ct256' },
} as BoardDefinition;

const requestFor = (
  source: string | Uint8Array,
  filename = 'design.v',
  options: SubmitOptions = {},
): BuildRequest => ({
  source: typeof source === 'string' ? new TextEncoder().encode(source) : source,
  filename,
  board,
  options,
});

/** A context that keeps the lines of the log. */
function recording(): ToolContext & { lines: string[] } {
  const lines: string[] = [];
  return { lines, log: (_, line) => lines.push(line), progress: () => {} };
}

/** Scans a source with the real Yosys. */
export async function scanText(
  source: string | Uint8Array,
  filename = 'design.v',
  options: SubmitOptions = {},
  engine: ToolEngine = plainYosys,
): Promise<DesignScan & { log: string[] }> {
  const context = recording();
  const scan = await scanDesign(requestFor(source, filename, options), engine, context);
  return { ...scan, log: context.lines };
}
