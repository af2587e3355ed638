import type { BoardSample, FabricObservation, Recording } from './observation.ts';
import type { Refusal } from './refusal.ts';

/**
 * An iCE40 behind its pins, as a programmer and a serial port see it: configuration port, CDONE and UART.
 * The virtual board and the emulated FT2232H both stand on it.
 */
export interface Fabric {
  /** Pulls CRESET low and releases it: configuration and user state are lost, CDONE goes low. */
  reset(): Promise<void>;
  /**
   * Bytes into the configuration port (SPI slave). Any split is allowed. CDONE goes high after a complete,
   * valid bitstream; then the fabric runs.
   */
  configure(bytes: Uint8Array): Promise<void>;
  /** State of CDONE once all bytes that were delivered have been taken in. */
  cdone(): Promise<boolean>;
  /** Why CDONE stayed low after the last configuration, or why the design stopped afterwards, when it did. */
  refusal(): Promise<Refusal | null>;
  /** Host → FPGA, 8N1 at the line rate that was set. Resolves when the bytes are queued. */
  write(bytes: Uint8Array): Promise<void>;
  /** FPGA → host. One listener. */
  onData(listener: (bytes: Uint8Array) => void): void;
  /** Line rate of the host's UART, bits a second. */
  setBaud(baud: number): Promise<void>;
  close(): Promise<void>;
}

/** What a fabric that runs in this process can do besides. */
export interface VirtualFabric extends Fabric {
  /** Told that it will be configured: where it will live is made ready meanwhile. */
  open(): void;
  /** Told that the design is there for its user: after each byte from now on it goes on by itself for a while. */
  ready(): Promise<void>;
  /** While held, the fabric keeps the process alive, as an open serial port does. */
  hold(held: boolean): void;
  /** Resolves when all bytes that were written have left the host's UART. */
  drain(): Promise<void>;
  /**
   * Looks inside the running design, or holds its clock.
   * @throws BenchError fabric_stopped where nothing runs.
   */
  observe(request: FabricObservation): Promise<BoardSample>;
  /** Told when the trigger of a recording has come, which goes on. One listener. */
  onTriggered(listener: () => void): void;
  /** Told of the end of a recording; null when the design went before. One listener. */
  onRecorded(listener: (recording: Recording | null) => void): void;
  /** Calls back when a design that ran cannot go on (it oscillates); returns the function that ends it. */
  onStop(listener: (refusal: Refusal) => void): () => void;
}

export interface FabricOptions {
  /** nextpnr's package name, e.g. `ct256`. */
  package: string;
  clock: { hz: number; pin: string };
  rx: string;
  tx: string;
}
