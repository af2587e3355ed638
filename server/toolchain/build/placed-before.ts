import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { constants, gunzip, gzip } from 'node:zlib';
import type { ToolFiles } from '../tool-engine.ts';

/** Limit of what is stored, compressed bytes: 40 small builds, or 8 that fill half of an HX8K. */
const MAX_BYTES = 16 * 2 ** 20;

const compress = promisify(gzip);
const expand = promisify(gunzip);

/** What a run of place and route depends on. */
export interface PlacementInputs {
  /** The part of the netlist that decides. */
  netlist: string;
  tool: string;
  args: readonly string[];
  files: ToolFiles;
}

/**
 * Outputs of earlier runs of place and route, the latest of this process. nextpnr gives equal inputs equal outputs. A
 * build takes them where its netlist differs only in what nextpnr does not read, as after an edit of a comment or a table.
 */
export class PlacedBefore {
  readonly #limit: number;
  /** By digest of the inputs; the least recently used first. */
  readonly #runs = new Map<string, ReadonlyMap<string, Uint8Array>>();
  #bytes = 0;

  constructor(limit = MAX_BYTES) {
    this.#limit = limit;
  }

  /** Bytes that are stored. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Stores the outputs of a run. Runs that were not used for the longest time make room. */
  async put(inputs: PlacementInputs, outputs: Record<string, Uint8Array>): Promise<void> {
    const files = await Promise.all(
      Object.entries(outputs).map(
        async ([name, bytes]): Promise<[string, Uint8Array]> => [
          name,
          await compress(bytes, { level: constants.Z_BEST_SPEED }),
        ],
      ),
    );
    const key = digestOf(inputs);
    const run = new Map(files);
    if (sizeOf(run) > this.#limit) return;
    this.#remove(key);
    this.#runs.set(key, run);
    this.#bytes += sizeOf(run);
    for (const oldest of this.#runs.keys()) {
      if (this.#bytes <= this.#limit) break;
      this.#remove(oldest);
    }
  }

  /** The outputs of an equal run; null when there is none. */
  async find(inputs: PlacementInputs): Promise<Record<string, Uint8Array> | null> {
    const key = digestOf(inputs);
    const run = this.#runs.get(key);
    if (!run) return null;
    this.#runs.delete(key);
    this.#runs.set(key, run);
    return Object.fromEntries(
      await Promise.all([...run].map(async ([name, bytes]) => [name, await expand(bytes)] as const)),
    );
  }

  #remove(key: string): void {
    const run = this.#runs.get(key);
    if (!run) return;
    this.#runs.delete(key);
    this.#bytes -= sizeOf(run);
  }
}

const sizeOf = (run: ReadonlyMap<string, Uint8Array>): number =>
  [...run.values()].reduce((sum, { length }) => sum + length, 0);

function digestOf({ netlist, tool, args, files }: PlacementInputs): string {
  const rest = JSON.stringify([
    tool,
    args,
    Object.entries(files).map(([name, file]) => [name, String(file)]),
  ]);
  return createHash('sha256').update(rest).update('\0').update(netlist).digest('base64');
}
