import type { BoardDefinition } from '../../boards/definition.ts';
import type { Clock } from '../../clock.ts';
import type { EngineInfo } from '../../contract/bench/bench.ts';
import type { Language } from '../../contract/designs/uploads.ts';
import { toolchainError } from '../../errors/toolchain.ts';
import type { Logger } from '../../log.ts';
import type { EmbeddedEngine } from '../engines/embedded/embedded-engine.ts';
import type { ConfiguredPaths } from '../engines/executables.ts';
import { createNativeEngine, type NativeEngine } from '../engines/installed/native-engine.ts';
import { type FoundSandbox, findSandbox } from '../engines/sandbox/bubblewrap.ts';
import { familyOf } from '../families/index.ts';
import { createFrontends, type Frontends } from '../frontends/index.ts';
import { once } from '../once.ts';
import type { ToolEngine } from '../tool-engine.ts';
import { PACKER_VERSION } from './pack/pack.ts';

/**
 * The tools of this machine: the embedded ones and installed programs. Each installed program is searched once, before its
 * first use. A program that is installed later needs a restart of the service.
 */
export interface InstalledTools {
  readonly frontends: Frontends;
  /** The engine that builds for a board. Rejects with tool_missing, which names all missing tools. */
  engineFor(board: BoardDefinition): Promise<ToolEngine>;
  /** The engine that reads designs, for any board. */
  readonly reader: ToolEngine;
  /** Versions of the tools that take part in a build. */
  versions(engine: ToolEngine, board: BoardDefinition, language: Language): Promise<Record<string, string>>;
  /** All tools that were searched, found or not. */
  list(): Promise<EngineInfo[]>;
  close(): Promise<void>;
}

/** Yosys is always the embedded one; installed tools place, route and pack. */
const withYosysOf = (embedded: ToolEngine, installed: NativeEngine): ToolEngine => ({
  ...installed,
  versions: async () => ({ ...(await embedded.versions()), ...(await installed.versions()) }),
  run: (request) => (request.tool === 'yosys' ? embedded : installed).run(request),
});

/** Finds the tools of this machine, each on its first use. */
export function findInstalledTools(options: {
  embedded: EmbeddedEngine;
  logger: Logger;
  paths: ConfiguredPaths;
  /** Memory limit of one tool, bytes. */
  memoryLimit: number;
  vhdlWithoutSandbox: () => boolean;
  clock: Clock;
  sandbox?: (clock: Clock) => Promise<FoundSandbox>;
}): InstalledTools {
  const { embedded, logger, paths, memoryLimit, clock } = options;
  const sandbox = once(() => (options.sandbox ?? findSandbox)(clock));
  const { vhdlWithoutSandbox } = options;
  const frontends = createFrontends({ clock, paths, sandbox, vhdlWithoutSandbox });
  const native = once(async (): Promise<NativeEngine> => {
    const found = await sandbox();
    if (found.kind === 'missing')
      logger.info({ reason: found.reason }, 'installed tools run without a sandbox');
    return createNativeEngine({
      paths,
      sandbox: found.kind === 'missing' ? null : found,
      memoryLimit,
      clock,
    });
  });

  return {
    frontends,

    async engineFor(board) {
      const family = familyOf(board);
      if (family.installed.length === 0) return embedded;
      const installed = await native();
      const missing = installed.missing(family);
      if (missing.length > 0)
        throw toolchainError('tool_missing', {
          message: `Building for ${board.name} needs ${missing.map(({ name }) => name).join(' and ')}, which ${missing.length > 1 ? 'are' : 'is'} not installed.`,
          remedy: `Install ${missing.map((one) => `${one.name} (package ${one.package})`).join(' and ')} so that it is on the PATH of the service, or give the folder in the settings.`,
        });
      return withYosysOf(embedded, installed);
    },

    reader: embedded,

    async versions(engine, board, language) {
      const all = await engine.versions();
      const found: Record<string, string> = {};
      const family = familyOf(board);
      for (const tool of ['yosys', ...family.embedded, ...family.installed.map(({ name }) => name)])
        if (all[tool] !== undefined) found[tool] = all[tool];
      if (family.pack(board).by === 'bench') found['packer'] = PACKER_VERSION;
      const frontend = frontends.of(language);
      const program = await frontend.program();
      if (program) found[program.versionOf] = program.found?.version ?? 'absent';
      return found;
    },

    async list() {
      const [installed, confinement, programs] = await Promise.all([
        native().then((engine) => engine.tools()),
        sandbox(),
        Promise.all(frontends.all.map(async ({ name, program }) => ({ name, ...(await program()) }))),
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
        ...programs.flatMap(({ name, tool, found = null }) =>
          tool === undefined ? [] : [one(name, tool, found)],
        ),
        one('sandbox', 'bwrap', confinement.kind === 'missing' ? null : confinement),
      ];
    },

    async close() {
      if (native.asked()) await (await native()).close();
    },
  };
}
