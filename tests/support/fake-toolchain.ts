import { createHash } from 'node:crypto';
import { userClock } from '../../server/boards/definition.ts';
import type { EngineInfo } from '../../server/contract/bench/bench.ts';
import {
  type BuildReport,
  LANGUAGES,
  type MatchedDesign,
  type ScanResult,
} from '../../server/contract/designs/uploads.ts';
import type { Diagnostic } from '../../server/contract/diagnostics.ts';
import type { Stage } from '../../server/contract/jobs/jobs.ts';
import type { BuildEstimate } from '../../server/contract/jobs/utilisation.ts';
import type { Floorplan } from '../../server/contract/signals/floorplan.ts';
import { BenchError } from '../../server/errors/bench-error.ts';
import type { DesignSymbols } from '../../server/symbols/symbols.ts';
import type { BuildContext, BuildRequest, BuildResult } from '../../server/toolchain/build-request.ts';
import { diagnosticLine } from '../../server/toolchain/diagnostics/text.ts';
import type { Farm } from '../../server/toolchain/farm/farm-view.ts';
import type { Toolchain } from '../../server/toolchain/toolchain.ts';
import { delay, fakeBitstream, passed } from './fake-board.ts';

const STAGES: Stage[] = ['scan', 'synthesis', 'place', 'route', 'pack'];

const matched: MatchedDesign = {
  module: 'echo',
  roles: { ack: 'wb_ack', sel: 'wb_sel' },
  dataWidth: 32,
  addressWidth: 30,
  addressing: 'word',
  addressingReason: 'the address port is 30 bits wide',
  resetActiveLow: false,
  handshake: 'classic',
  ties: [],
  open: [],
  ports: [],
};

/** The pins of a source: lines like `// in sw 16`, `// in rx 1 high`, `// out led 16`. */
function pinsOf(source: string): NonNullable<MatchedDesign['pins']> {
  const used = { input: 0, output: 0 };
  return [...source.matchAll(/^\/\/ (in|out) (\w+) (\d+)( high)?$/gm)].map(
    ([, way, name = '', bits, high]) => {
      const direction = way === 'in' ? 'input' : 'output';
      const width = Number(bits);
      const at = used[direction];
      used[direction] += width;
      return { name, direction, width, at, high: high !== undefined };
    },
  );
}

const refused = (code: string, message: string, diagnostics: Diagnostic[]) =>
  new BenchError(
    code,
    { status: 422, message, remedy: 'Mend the source and submit it again.' },
    { diagnostics },
  );

/** The estimate of every build. */
export const FAKE_ESTIMATE: BuildEstimate = {
  fmax_mhz: 48.5,
  target_mhz: 12,
  utilisation: [{ resource: 'LUT', used: 800, available: 7680 }],
};

export interface FakeToolchainOptions {
  /** How many builds run at once; the others wait, first come first served. */
  slots?: number;
  /** Milliseconds per stage. */
  stageMs?: number;
  /** Reports that other machines build. */
  farm?: boolean;
}

/**
 * Builds nothing, but with the slots, stages, log, progress and cache of the real toolchain. Words in the source steer
 * it: `fail-synthesis` fails there, `hang-place` stops there until the build is aborted, `crash-route` throws an error
 * that is no BenchError, `lines-N` logs N lines, `fmax-N` sets the Fmax to N MHz, a line `// in sw 16` or `// out led
 * 16` adds pins.
 */
export class FakeToolchain implements Toolchain {
  /** Sources that were built (not from the cache), in order. */
  readonly built: string[] = [];
  stageMs: number;
  readonly farm?: Farm;
  /** Builds wait in their stage `place` until it is open, results from the cache before they are given. */
  gate: Promise<void> | null = null;
  /** Builds that hang now. */
  hanging = 0;
  /** Languages that cannot be built here. */
  refusals: Partial<Record<(typeof LANGUAGES)[number], BenchError>> = {};
  #total: number;
  #busy = 0;
  #waiting: (() => void)[] = [];
  #cache = new Map<string, BuildResult>();

  constructor(options: FakeToolchainOptions = {}) {
    this.#total = options.slots ?? 4;
    this.stageMs = options.stageMs ?? 0;
    if (options.farm)
      this.farm = {
        address: 'redis://fake',
        look: () => Promise.reject(new Error('there is none')),
        full: () => null,
      };
  }

  /** Signal names by build; none by default. */
  readonly symbolsOf = new Map<string, DesignSymbols>();

  async symbols(buildId: string): Promise<DesignSymbols | null> {
    return this.symbolsOf.get(buildId) ?? null;
  }

  /** Floorplans by build; none by default. */
  readonly floorplanOf = new Map<string, Floorplan>();

  async floorplan(buildId: string): Promise<Floorplan | null> {
    return this.floorplanOf.get(buildId) ?? null;
  }

  get slots() {
    return { busy: this.#busy, total: this.#total, waiting: this.#waiting.length };
  }

  async build(request: BuildRequest, context: BuildContext): Promise<BuildResult> {
    const source = new TextDecoder().decode(request.source);
    const buildId = createHash('sha256')
      .update(JSON.stringify([source, request.board.id, request.options]))
      .digest('hex');
    const hit = this.#cache.get(buildId);
    if (hit) {
      await context.started();
      context.log('scan', `build ${buildId} found in the cache`);
      if (this.gate) await passed(this.gate, context.signal);
      return { ...hit, cached: true, report: { ...hit.report, cached: true } };
    }
    await this.#slot(context.signal);
    try {
      await context.started();
      const seconds: Partial<Record<Stage, number>> = {};
      for (const stage of STAGES) {
        context.signal?.throwIfAborted();
        context.progress(stage, 0);
        context.log(stage, `${stage} of ${request.filename}`);
        if (source.includes(`hang-${stage}`)) {
          this.hanging++;
          await delay(0x7fff_ffff, context.signal).finally(() => this.hanging--);
        }
        if (stage === 'place' && this.gate) await passed(this.gate, context.signal);
        if (this.stageMs > 0) await delay(this.stageMs, context.signal);
        if (source.includes(`fail-${stage}`)) {
          const asked: Diagnostic = {
            severity: 'error',
            code: 'yosys_error',
            file: request.filename,
            line: 1,
            message: 'the source asks for a failure',
          };
          context.log(stage, diagnosticLine(asked));
          throw refused('fake_build_failed', `The ${stage} stage failed.`, [asked]);
        }
        if (source.includes(`crash-${stage}`)) throw new TypeError('a fault in the program');
        if (stage === 'synthesis') {
          const lines = Number(/lines-(\d+)/.exec(source)?.[1] ?? 0);
          for (let i = 0; i < lines; i++) context.log(stage, `line ${i} of ${lines} ${'.'.repeat(60)}`);
        }
        if (stage === 'synthesis') context.estimated?.(FAKE_ESTIMATE);
        context.progress(stage, 1);
        seconds[stage] = this.stageMs / 1000;
      }
      this.built.push(source);
      const bitstream = fakeBitstream(buildId);
      const result: BuildResult = {
        buildId,
        bitstream,
        cached: false,
        report: fakeReport(buildId, request, bitstream.length, seconds),
      };
      this.#cache.set(buildId, result);
      return result;
    } finally {
      this.#busy--;
      this.#waiting.shift()?.();
    }
  }

  async #slot(signal?: AbortSignal): Promise<void> {
    while (this.#busy >= this.#total) {
      await new Promise<void>((resolve, reject) => {
        this.#waiting.push(resolve);
        signal?.addEventListener(
          'abort',
          () => {
            this.#waiting = this.#waiting.filter((waiter) => waiter !== resolve);
            reject(signal.reason);
          },
          { once: true },
        );
      });
    }
    this.#busy++;
  }

  async scan(): Promise<ScanResult> {
    return { matched, modules: [{ name: 'echo', ports: [], problem: null }], diagnostics: [] };
  }

  async baseBitstream(): Promise<Uint8Array> {
    return fakeBitstream('0'.repeat(64));
  }

  async engines(): Promise<EngineInfo[]> {
    return [{ name: 'fake', tool: 'fake', version: '1', path: null }];
  }

  async languages() {
    return LANGUAGES.map((language) => ({ language, refusal: this.refusals[language] ?? null }));
  }

  warm(): void {}

  async close(): Promise<void> {}
}

function fakeReport(
  buildId: string,
  { board, source, options }: BuildRequest,
  size: number,
  seconds: Partial<Record<Stage, number>>,
): BuildReport {
  const text = new TextDecoder().decode(source);
  const fmax = Number(/fmax-([\d.]+)/.exec(text)?.[1] ?? 63.2);
  const target = options.timing_target_mhz ?? userClock(board).hz / 1e6;
  return {
    build_id: buildId,
    board: board.id,
    part: `${board.fpga.part}-${board.fpga.package}`,
    engine: 'fake',
    cached: false,
    design: {
      ...matched,
      // A source with `// no selects` has no byte selects.
      ...(text.includes('// no selects') && { roles: { ack: 'wb_ack' } }),
      pins: pinsOf(text),
    },
    utilisation: [
      { resource: 'LUT', used: 1075, available: 7680 },
      { resource: 'FF', used: 600, available: 7680 },
      { resource: 'BRAM', used: 4, available: 32 },
    ],
    timing: {
      fmax_mhz: fmax,
      target_mhz: target,
      clock_mhz: userClock(board).hz / 1e6,
      met: fmax >= target,
      critical_path: [],
    },
    seconds,
    versions: { fake: '1' },
    diagnostics: [],
    bitstream_size: size,
  };
}
