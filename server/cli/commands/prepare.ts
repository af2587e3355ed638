import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { CommandLine } from '../command-line.ts';
import { print } from '../output.ts';
import { EXIT } from '../usage.ts';

/** The command `prepare`: compiles the embedded tools for this computer. */
export function declarePrepare(line: CommandLine): void {
  line.command('prepare', 'compile the embedded tools before the first build', 'wishbench prepare', prepare);
}

/** `prepare`: fills the compiled-code cache by a build, unless it is full already. */
async function prepare(): Promise<number> {
  const [
    { createLogger },
    { createToolchain },
    { loadCatalogue, VIRTUAL_BOARD },
    { exampleSource, loadExamples },
  ] = await Promise.all([
    import('../../log.ts'),
    import('../../toolchain/index.ts'),
    import('../../boards/catalogue/index.ts'),
    import('../../toolchain/examples.ts'),
  ]);
  const dataDir = mkdtempSync(path.join(os.tmpdir(), 'wishbench-prepare-'));
  const tools = createToolchain({ dataDir, logger: createLogger('warn'), slots: 1 });
  try {
    if (tools.code.compiled) {
      print('The tools are compiled for this computer already.');
      return EXIT.done;
    }
    const [example] = loadExamples();
    const board = loadCatalogue().get(VIRTUAL_BOARD);
    if (!example || !board) throw new Error('The package has no example, or no virtual board.');
    await tools.build(
      { source: exampleSource(example), filename: example.file, board, options: {} },
      { log: () => {}, progress: () => {}, started: async () => {} },
    );
    await tools.code.keepCode();
    print('The tools are compiled for this computer.');
    return EXIT.done;
  } finally {
    await tools.close();
    rmSync(dataDir, { recursive: true, force: true });
  }
}
