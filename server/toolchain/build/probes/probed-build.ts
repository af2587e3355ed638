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

/** What Yosys counts of the core alone; all its cells are named after the instance in wishbench_top. */
const COUNTED = 'capture.json';
const COUNT = `tee -q -o ${COUNTED} stat -json c:capture.*`;

type Counted = Pick<CaptureCore, 'luts' | 'flip_flops' | 'block_rams'>;

/** The capture core of one build: how large it is, how it is connected, and what it comes to. */
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

  /** What synthesis does for it. @param top the module that it is in */
  probing(top: string): NonNullable<SynthesisSources['probing']> {
    return { whenFlat: connectProbes(top, this.#probes), count: COUNT, counted: COUNTED };
  }

  /**
   * After synthesis: makes the core smaller where the block RAMs are more than there are; true when it has to be
   * synthesised again. @throws probes_too_large
   */
  refit({ statistics }: Pick<SynthesisResult, 'statistics'>): boolean {
    const { board, family, build } = this.#stage;
    const smaller = fittingSize(this.#size, cellCounts(statistics), board, family);
    if (!smaller) return false;
    build.log(
      'synthesis',
      `note: the design leaves block RAM for ${2 ** smaller.depthLog2} samples of the probes, not ${2 ** this.#size.depthLog2}: once more with these`,
    );
    this.#size = smaller;
    return true;
  }

  /** Takes down what the core has come to. */
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

  /** A failed build, with what the core has to do with it. */
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
