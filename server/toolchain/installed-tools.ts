import type { BoardDefinition } from '../boards/definition.ts';
import { toolchainError } from '../errors/toolchain.ts';
import type { Logger } from '../log.ts';
import type { EmbeddedEngine } from './embedded/embedded-engine.ts';
import { type AmaranthPython, findAmaranth } from './frontend/amaranth.ts';
import { findGhdl, type Ghdl } from './frontend/ghdl.ts';
import type { ConfiguredPaths } from './native/executables.ts';
import { createNativeEngine, type NativeEngine } from './native/native-engine.ts';
import { findSandbox, type Sandbox } from './sandbox/bubblewrap.ts';
import type { Language } from './scan/source.ts';
import type { EngineInfo, ToolEngine } from './toolchain.ts';

export type EngineChoice = 'auto' | 'embedded' | 'native';

/**
 * What there is to build with: the embedded tools, and whatever is installed on the machine. Each installed
 * program is looked for when it is first needed, and once: one that is installed later needs a new start.
 */
export interface InstalledTools {
  sandbox(): Promise<Sandbox | { missing: string }>;
  ghdl(): Promise<Ghdl | null>;
  amaranth(): Promise<AmaranthPython | null>;
  /** The engine that builds for a board. Rejects with tool_missing. */
  engineFor(board: BoardDefinition): Promise<ToolEngine>;
  /** Tools that take part in a build, with their versions. */
  versions(engine: ToolEngine, board: BoardDefinition, language: Language): Promise<Record<string, string>>;
  /** Everything that was looked for, found or not. */
  list(): Promise<EngineInfo[]>;
  close(): Promise<void>;
}

const FAMILY_TOOLS: Record<BoardDefinition['fpga']['family'], string[]> = {
  ice40: ['yosys', 'nextpnr-ice40', 'icepack'],
  ecp5: ['yosys', 'nextpnr-ecp5', 'ecppack'],
  gowin: ['yosys', 'nextpnr-himbaechel', 'gowin_pack'],
};

/** Calls `make` when it is first asked, and hands out the same answer ever after. */
function once<T>(make: () => Promise<T>): (() => Promise<T>) & { asked(): boolean } {
  let answer: Promise<T> | null = null;
  const ask = () => {
    answer ??= make();
    return answer;
  };
  return Object.assign(ask, { asked: () => answer !== null });
}

export function findInstalledTools(options: {
  choice: EngineChoice;
  embedded: EmbeddedEngine;
  logger: Logger;
  paths: ConfiguredPaths;
  /** Bytes that one tool may hold. */
  memoryLimit?: number;
}): InstalledTools {
  const { choice, embedded, logger, paths, memoryLimit } = options;
  const sandbox = once(findSandbox);
  const ghdl = once(() => findGhdl(paths));
  const amaranth = once(() => findAmaranth(paths));
  const native = once(async (): Promise<NativeEngine> => {
    const found = await sandbox();
    if ('missing' in found) logger.info({ reason: found.missing }, 'installed tools run without a sandbox');
    return createNativeEngine({
      logger,
      paths,
      sandbox: 'missing' in found ? null : found,
      ...(memoryLimit === undefined ? {} : { memoryLimit }),
    });
  });

  return {
    sandbox,
    ghdl,
    amaranth,

    async engineFor({ fpga, name }) {
      if (choice !== 'native' && embedded.supports(fpga.family)) return embedded;
      if (choice === 'embedded')
        throw toolchainError('tool_missing', {
          message: `The embedded tools cannot build for ${name} (${fpga.family}).`,
          remedy: 'Allow the installed tools in the settings of the toolchain.',
        });
      // A tool that is absent is named by the engine when it is needed.
      return native();
    },

    async versions(engine, { fpga }, language) {
      const all = await engine.versions();
      const found: Record<string, string> = {};
      for (const tool of FAMILY_TOOLS[fpga.family]) if (all[tool] !== undefined) found[tool] = all[tool];
      if (language === 'vhdl') found.ghdl = (await ghdl())?.version ?? 'absent';
      if (language === 'amaranth') found.amaranth = (await amaranth())?.version ?? 'absent';
      return found;
    },

    async list() {
      const [installed, confinement, vhdl, python] = await Promise.all([
        native().then((engine) => engine.tools()),
        sandbox(),
        ghdl(),
        amaranth(),
      ]);
      const bundled = Object.entries(await embedded.versions());
      const one = (
        name: string,
        tool: string,
        found: { version: string; path: string } | null,
      ): EngineInfo => ({
        name,
        tool,
        version: found?.version ?? null,
        path: found?.path ?? null,
      });
      return [
        ...bundled.map(([tool, version]) => ({ name: 'embedded', tool, version, path: null })),
        ...installed.map((tool) => ({ name: 'native', ...tool })),
        one('vhdl', 'ghdl', vhdl),
        one('amaranth', 'python3', python),
        one('sandbox', 'bwrap', 'missing' in confinement ? null : confinement),
      ];
    },

    async close() {
      if (native.asked()) await (await native()).close();
    },
  };
}
