/** How many nodes the pool has; ids run from 0 to NODE_COUNT - 1 (interface.md section 8). */
export const NODE_COUNT = 10;

export const FPGA_STATES = ['idle', 'queued', 'building', 'programming', 'reserved', 'error'] as const;
export type FpgaState = (typeof FPGA_STATES)[number];

export const JOB_STATUSES = ['queued', 'running', 'complete', 'failed', 'cancelled'] as const;
export type JobStatus = (typeof JOB_STATUSES)[number];

export const JOB_TYPES = ['build_and_program', 'run', 'reset'] as const;
export type JobType = (typeof JOB_TYPES)[number];

/** Stages of a job, in the order in which they pass. */
export const STAGES = [
  'queue',
  'scan',
  'synthesis',
  'place',
  'route',
  'pack',
  'program',
  'identify',
  'transfer',
] as const;
export type Stage = (typeof STAGES)[number];

export interface Session {
  session_id: string;
  fpga_id: number;
  owner: string;
  /** ISO 8601, UTC. */
  expires_at: string;
}

/** Options of a submit, as validated by the API. */
export interface SubmitOptions {
  top?: string;
  /** Constraint for place and route, MHz; the board's clock when absent. */
  timing_target_mhz?: number;
  addressing?: 'byte' | 'word';
  /** Extra input ports and what they are tied to: all bits 0 or 1. */
  ties?: Record<string, 0 | 1>;
}

export interface SubmitDetails {
  filename: string;
  /** Bytes of the source file. */
  size: number;
  options: SubmitOptions;
}

export interface RunDetails {
  /** Wishbone opcode: 1 write, 2 read. */
  op: 1 | 2;
  /** Byte address, multiple of 4. */
  address: number;
  /** How many 32-bit words are written or read. */
  count: number;
  fixed_address: boolean;
}

/** Why a job failed: a code of the error catalogue with its two sentences. */
export interface JobFailure {
  error: string;
  message: string;
  remedy: string;
}

/** A job as the store keeps it and events show it. The contract's JobResponse is a part of it. */
export interface Job {
  job_id: string;
  fpga_id: number;
  type: JobType;
  status: JobStatus;
  created_at: string;
  updated_at: string;
  /** Set when the job leaves `queued`. */
  started_at?: string;
  /** Who asked for it: see decisions.md, `owner`. Never an API key that this service minted. */
  owner: string;
  stage?: Stage;
  /** Progress within the stage, 0 to 1. */
  fraction?: number;
  submit?: SubmitDetails;
  run?: RunDetails;
  failure?: JobFailure;
  /** Content address of the build, 64 hex digits; set when it is known. */
  build_id?: string;
  /** The build came from the cache. */
  cached?: boolean;
  /** A run's answer: false when the design did not acknowledge or the job failed. */
  ok?: boolean;
  /** What is worth one line in a list, e.g. `Fmax 63.2 MHz, 14 % LUT`. */
  summary?: string;
}

/** Exactly the fields of the contract's FPGASummary. */
export interface FpgaSummary {
  fpga_id: number;
  state: FpgaState;
  session: Session | null;
  current_job_id: string | null;
}

/** FpgaSummary with what the GUI shows besides (GET /events and GET /fpga/{id}/details). */
export interface NodeView extends FpgaSummary {
  /** Why the node is in `error`, when it is. */
  error: JobFailure | null;
  /** A reset or release is queued or running. */
  resetting: boolean;
  board: BoardView;
  /** The design on the board while reserved. */
  design: { filename: string; build_id: string; module: string } | null;
  /** The last ended job. */
  last_job_id: string | null;
}

/** A board as lists and events show it. */
export interface BoardView {
  slot: number;
  /** Stable identity: `virtual:3`, `usb:<serial>` or `port:<path>`. */
  id: string;
  kind: 'virtual' | 'usb';
  /** Id in the catalogue, e.g. `virtual-hx8k`. */
  definition: string;
  name: string;
  present: boolean;
  /** Why it cannot be used, when it cannot. */
  reason?: string;
}

/** A board that the bench knows of: in a slot, attached without one, or assigned and away. */
export interface KnownBoard {
  /** Stable identity: `virtual:3`, `usb:<serial>` or `port:<path>`. */
  id: string;
  kind: 'virtual' | 'usb';
  name: string;
  /** The catalogue's id, when it is certain; null while more than one board fits. */
  definition: string | null;
  /** Catalogue ids of all boards that it may be. */
  candidates: string[];
  /** The slot it is assigned to. */
  slot: number | null;
  present: boolean;
  /** Why it cannot be used as it is, or what is uncertain about it. */
  reason?: string;
  /** What to do about `reason`. */
  remedy?: string;
  /** Where the programmer writes. */
  mode?: 'sram' | 'flash';
  usb?: {
    vendorId: number;
    productId: number;
    /** As the device says it, also where it is shared with other boards. */
    serial: string | null;
    /** Bus and port numbers, e.g. `1-2.3`. */
    port: string;
    manufacturer: string | null;
    product: string | null;
  };
  /** The system's name of its serial port at the moment; null while it has none. */
  serialPort?: string | null;
}

/** Why attached boards cannot all be seen, e.g. no permission on the USB bus. */
export interface DiscoveryProblem {
  code: string;
  message: string;
  remedy: string;
}
