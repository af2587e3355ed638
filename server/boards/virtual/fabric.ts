import type { BoardSample, FabricObservation, Recording } from './observation.ts';
import type { Refusal } from './refusal.ts';

/**
 * An iCE40 as a programmer and a serial port see it: configuration port, CDONE and UART. The virtual board and the
 * emulated FT2232H both use it.
 */
export interface Fabric {
  /** Pulls CRESET low and releases it: configuration and user state are lost, CDONE goes low. */
  reset(): Promise<void>;
  /**
   * Bytes into the configuration port (SPI slave), in any split. CDONE goes high after a complete, valid bitstream;
   * then the fabric runs.
   */
  configure(bytes: Uint8Array): Promise<void>;
  /** State of CDONE after all bytes so far. */
  cdone(): Promise<boolean>;
  /** Why CDONE stayed low, or why the design stopped later; else null. */
  refusal(): Promise<Refusal | null>;
  /** Host → FPGA, 8N1 at the present line rate. Resolves when the bytes are queued. */
  write(bytes: Uint8Array): Promise<void>;
  /** FPGA → host. One listener. */
  onData(listener: (bytes: Uint8Array) => void): void;
  /** Line rate of the host's UART, bits a second. */
  setBaud(baud: number): Promise<void>;
  close(): Promise<void>;
}

/** Additional abilities of a fabric in this process. */
export interface VirtualFabric extends Fabric {
  /** Announces a configuration, so that its thread can start meanwhile. */
  open(): void;
  /** Marks the design as handed to its user: after each byte it then runs on by itself for a while. */
  ready(): Promise<void>;
  /** While held, the fabric keeps the process alive, as an open serial port does. */
  hold(held: boolean): void;
  /** Resolves when all written bytes have left the host's UART. */
  drain(): Promise<void>;
  /**
   * Reads values of the running design, or controls its clock.
   * @throws BenchError fabric_stopped where nothing runs.
   */
  observe(request: FabricObservation): Promise<BoardSample>;
  /** Calls back when a recording triggers; the recording continues. One listener. */
  onTriggered(listener: () => void): void;
  /** Calls back at the end of a recording; null when the design ended first. One listener. */
  onRecorded(listener: (recording: Recording | null) => void): void;
  /** Calls back when a running design can't continue (it oscillates); returns the function that ends it. */
  onStop(listener: (refusal: Refusal) => void): () => void;
}

export interface FabricOptions {
  /** nextpnr's package name, e.g. `ct256`. */
  package: string;
  clock: { hz: number; pin: string };
  rx: string;
  tx: string;
}
