import { createHash } from 'node:crypto';
import type { SubmitOptions } from '../../../server/contract/jobs/jobs.ts';

/** A design to be recorded. */
export interface NamedDesign {
  /** Origin and name: `examples/echo.v`. */
  id: string;
  /** As it would be uploaded. */
  filename: string;
  source: Uint8Array;
  /** Digest of everything that decides the result. */
  digest: string;
  board: string;
  options: SubmitOptions;
  /** Whether a recording with builds builds it. */
  built: boolean;
}

export const shortHash = (text: string | Uint8Array): string =>
  createHash('sha256').update(text).digest('hex').slice(0, 16);

/** The last step for a design. */
export type RecordingDepth = 'scan' | 'synthesis' | 'build';

/** Result of a design. */
export interface RecordedDesign {
  id: string;
  digest: string;
  depth: RecordingDepth;
  outcome: {
    /** `scanned`: a slave that was not to be built further; `failed`: with an error that is none of the catalogue. */
    kind: 'refused' | 'failed' | 'scanned' | 'synthesised' | 'built';
    /** Stage of the refusal. */
    stage?: 'scan' | 'build';
    code?: string;
    message?: string;
  };
  /** `error yosys_error echo.v:12: text`, as the scan or the refusal has them. */
  diagnostics: string[];
  /** `echo.v:3 echo: clk in 1, wb_adr in 30+2`, as the scan lists them. */
  modules: string[];
  match: RecordedMatch | null;
  /** Milliseconds until the scan was through. */
  scanMilliseconds: number;
  synthesisMilliseconds?: number;
  /** Resource → amount of the design and the base SoC together. */
  area?: Record<string, number>;
  /** `count[7:0] echo.v:12`, sorted. */
  signals?: { count: number; hash: string; names: string[] };
  build?: {
    diagnostics: string[];
    /** MHz; of the slowest path at all, and of that which the design has a part in. */
    fmax: number | null;
    ownFmax: number | null;
    /** Resource → amount of the design. */
    ownArea: Record<string, number>;
    seconds: number;
  };
}

export interface RecordedMatch {
  module: string;
  handshake: string;
  addressing: string;
  addressingReason: string;
  dataWidth: number;
  addressWidth: number;
  resetActiveLow: boolean;
  /** Role on the bus → port. */
  roles: Record<string, string>;
  /** `rx=1`. */
  ties: string[];
  /** `leds output 8`. */
  pins: string[];
  open: string[];
}

/** A run over all designs. */
export interface DesignRecord {
  /** Tool → version. */
  versions: Record<string, string>;
  /** The share of the base SoC in every design, from an empty slave: as RecordedDesign.area. */
  base: Record<string, number>;
  designs: RecordedDesign[];
}
