import type { Design } from '../graph/lower.ts';
import type { Partition } from '../graph/partition.ts';
import type { Unit } from '../graph/units.ts';

/** Units whose dirty and pending bits share a word. */
interface Bank {
  units: Unit[];
  /** Byte address of the word whose bit k marks unit k for evaluation. */
  dirty: number;
  /** Byte address of the word whose bit k marks a prepared change of unit k. */
  pending: number;
}

/** The dirty and pending bits of a unit. */
export interface UnitBit {
  bank: number;
  bit: number;
}

/** Byte addresses inside the machine's memory. */
export interface Layout {
  banks: Bank[];
  unitBits: Map<Unit, UnitBit>;
  word(index: number): number;
  /** The next state of a register or read-port cluster. */
  next(index: number): number;
  /** The prepared write of a port: enable, address, data and mask, four words. */
  write(ram: number): number;
  /** -1 where the clock domain has an edge in this step, else 0. */
  fire(domain: number): number;
  /** Level of derived clock k at its last check. */
  level(clock: number): number;
  ram(index: number): number;
  /** Place of a sample of up to SAMPLE_WORDS words. */
  sample: number;
  bytes: number;
}

/** Fixed cells at the start of the memory. */
export const CELL = {
  /** Not 0 when state has changed in this cycle. */
  active: 0,
  /** Not 0 when an observed output has changed. */
  outputs: 4,
  /** Not 0 when logic or derived clocks did not settle: see FAULT. */
  fault: 8,
  /** Rounds of settling beyond the first of each evaluation, in this call of `run`. */
  effort: 12,
  /** Mask for words read from block RAMs: 0 until the RAMs are awake, then -1. */
  ramsAwake: 16,
} as const;

export const FAULT = { none: 0, logic: 1, clocks: 2 } as const;

/** Maximum 32-bit words of a sample. */
export const SAMPLE_WORDS = 12;

const FIRST = 64;
const BANK_UNITS = 32;
/** V8's optimising compiler slows down on larger functions. */
const BANK_NODES = 1500;

export function layOut(design: Design, partition: Partition, units: Unit[]): Layout {
  const banks: Bank[] = [];
  const unitBits = new Map<Unit, UnitBit>();
  let nodes = 0;
  for (const unit of units) {
    const size = unit.clusters.reduce((sum, cluster) => sum + cluster.nodes.length, 0);
    let bank = banks.at(-1);
    if (!bank || bank.units.length === BANK_UNITS || nodes + size > BANK_NODES) {
      bank = { units: [], dirty: 0, pending: 0 };
      banks.push(bank);
      nodes = 0;
    }
    unitBits.set(unit, { bank: banks.length - 1, bit: bank.units.length });
    bank.units.push(unit);
    nodes += size;
  }
  let at = FIRST;
  const reserve = (words: number) => {
    const start = at;
    at += 4 * words;
    return start;
  };
  for (const bank of banks) {
    bank.dirty = reserve(1);
    bank.pending = reserve(1);
  }
  const words = reserve(partition.words);
  const next = reserve(partition.words);
  const writes = reserve(4 * design.rams.length);
  const fire = reserve(2 + design.clocks.length);
  const levels = reserve(design.clocks.length);
  const rams = reserve(128 * design.rams.length);
  const sample = reserve(SAMPLE_WORDS);
  return {
    banks,
    unitBits,
    word: (index) => words + 4 * index,
    next: (index) => next + 4 * index,
    write: (ram) => writes + 16 * ram,
    fire: (domain) => fire + 4 * domain,
    level: (clock) => levels + 4 * clock,
    ram: (index) => rams + 512 * index,
    sample,
    bytes: at,
  };
}
