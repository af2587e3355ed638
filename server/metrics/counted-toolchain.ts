import type { BuildContext, BuildRequest, BuildResult } from '../toolchain/build-request.ts';
import type { Toolchain } from '../toolchain/toolchain.ts';
import type { BenchMetrics } from './bench-metrics.ts';

/** A toolchain whose builds are counted. */
export function countedToolchain(toolchain: Toolchain, metrics: BenchMetrics): Toolchain {
  const build = async (request: BuildRequest, context: BuildContext): Promise<BuildResult> => {
    try {
      const built = await toolchain.build(request, context);
      const { engine, seconds, diagnostics } = built.report;
      if (!built.cached && diagnostics.some(({ code }) => code === 'yosys_fallback')) metrics.onFallback();
      metrics.onBuild(engine, built.cached ? 'cached' : 'built', built.cached ? {} : seconds);
      return built;
    } catch (error) {
      // The engine is not known at this point.
      if (!context.signal?.aborted) metrics.onBuild('none', 'failed');
      throw error;
    }
  };
  return {
    build,
    scan: (request, context) => toolchain.scan(request, context),
    baseBitstream: (board) => toolchain.baseBitstream(board),
    engines: () => toolchain.engines(),
    languages: () => toolchain.languages(),
    symbols: (buildId) => toolchain.symbols(buildId),
    floorplan: (buildId) => toolchain.floorplan(buildId),
    ...(toolchain.farm && { farm: toolchain.farm }),
    get slots() {
      return toolchain.slots;
    },
    warm: () => toolchain.warm(),
    close: () => toolchain.close(),
  };
}
