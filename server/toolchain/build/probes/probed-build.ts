import type { CaptureCore, Probe } from '../../../contract/designs/uploads.ts';
import { sentence } from '../../../contract/sentences.ts';
import { BenchError } from '../../../errors/bench-error.ts';
import { toolchainError } from '../../../errors/toolchain.ts';
import { countCells } from '../../families/family.ts';
import type { CaptureSize } from '../gateware.ts';
import type { StageContext } from '../stage-context.ts';
import { cellCounts } from '../statistics.ts';
import type { SynthesisResult, SynthesisSources } from '../synthesis.ts';
import { connectProbes } from './choose.ts';
import { fittingSize, wantedSize } from './size.ts';

/** Statistics of the core. Its cells are named after the instance in wishbench_top. */
const COUNTED = 'capture.json';
const COUNT = `tee -q -o ${COUNTED} stat -json c:capture.*`;

type Counted = Pick<CaptureCore, 'luts' | 'flip_flops' | 'block_rams'>;

/** The capture core of one build: its size, its connections and its cells. */
export class ProbedBuild {
  readonly #probes: readonly Probe[];
  readonly #stage: Pick<StageContext, 'board' | 'family' | 'build'>;
  #size: CaptureSize;
  #counted: Counted | null = null;

  constructor(probes: readonly Probe[], stage: Pick<StageContext, 'board' | 'family' | 'build'>) {
    this.#probes = probes;
    this.#stage = stage;
    this.#size = wantedSize(probes.reduce((sum, { width }) => sum + width, 0));
  }

  get size(): CaptureSize {
    return this.#size;
  }

  /** Additions to synthesis. @param top the module with the core */
  probing(top: string): NonNullable<SynthesisSources['probing']> {
    return { whenFlat: connectProbes(top, this.#probes), count: COUNT, counted: COUNTED };
  }

  /**
   * Makes the core smaller after synthesis when the part has too few block RAMs. True: synthesise again.
   * @throws probes_too_large
   */
  refit({ statistics }: Pick<SynthesisResult, 'statistics'>): boolean {
    const { board, family, build } = this.#stage;
    const smaller = fittingSize(this.#size, cellCounts(statistics), board, family);
    if (!smaller) return false;
    build.log(
      'synthesis',
      `note: the design leaves block RAM for ${2 ** smaller.depthLog2} samples, not ${2 ** this.#size.depthLog2}: synthesising again with fewer`,
    );
    this.#size = smaller;
    return true;
  }

  /** Stores and logs the core's cells. */
  count({ ofCore }: Pick<SynthesisResult, 'ofCore'>): void {
    const { family, build } = this.#stage;
    if (!ofCore) return;
    const cells = cellCounts(ofCore);
    const used = (wanted: string) =>
      family.utilisation(cells, {}).find(({ resource }) => resource === wanted)?.used ?? 0;
    this.#counted = {
      luts: used('LUT'),
      flip_flops: used('FF'),
      block_rams: countCells(cells, family.blockRam.cell),
    };
    const { luts, flip_flops: registers, block_rams: blocks } = this.#counted;
    build.log(
      'synthesis',
      `capture core: ${this.#size.bits} bits × ${2 ** this.#size.depthLog2} samples, ${luts} LUT, ${registers} FF, ${blocks} block RAM`,
    );
  }

  report(): CaptureCore {
    return {
      bits: this.#size.bits,
      depth: 2 ** this.#size.depthLog2,
      ...(this.#counted ?? { luts: 0, flip_flops: 0, block_rams: 0 }),
      probes: [...this.#probes],
    };
  }

  /** Adds the core's share to the error of a failed build. */
  explain(error: unknown): unknown {
    const counted = this.#counted;
    if (!(error instanceof BenchError) || error.code !== 'build_too_large' || !counted) return error;
    return toolchainError('build_too_large', {
      message: `${sentence(error.message)} The capture core takes ${counted.luts} LUT, ${counted.flip_flops} FF and ${counted.block_rams} block RAM of that.`,
      remedy: `Probe fewer signals, or parts of them. ${error.remedy}`,
      diagnostics: error.diagnostics,
      cause: error,
    });
  }
}
