import { readFileSync } from 'node:fs';

/** A basic element of the chip: a logic cell, block RAM, IO cell, global buffer, PLL or warm-boot cell. */
export interface Bel {
  name: string;
  type: number;
  x: number;
  y: number;
  z: number;
  /** Wire by pin number (nextpnr's constids of the ice40 family). */
  pins: Map<number, number>;
}

export interface Pip {
  source: number;
  target: number;
  switch: number;
  value: number;
}

/**
 * Reader of nextpnr-ice40's binary chip database, in the layout of nextpnr 0.8 (source: YosysHQ/nextpnr,
 * ice40/chipdb.py and the POD structures of ice40/arch.h). Pointers are relative to their own position.
 */
export class ChipDatabase {
  readonly width: number;
  readonly height: number;
  readonly switchCount: number;
  readonly wireCount: number;
  readonly pipCount: number;
  readonly belCount: number;
  private readonly data: Buffer;
  private readonly sections: Record<string, { at: number; count: number }>;

  constructor(file: string) {
    this.data = readFileSync(file);
    const base = this.int(0);
    this.width = this.int(base);
    this.height = this.int(base + 4);
    this.switchCount = this.int(base + 8);
    const slice = (at: number) => ({ at: this.pointer(at), count: this.int(at + 4) });
    const tileInfo = this.pointer(base + 44);
    this.sections = {
      bels: slice(base + 12),
      wires: slice(base + 20),
      pips: slice(base + 28),
      grid: slice(base + 36),
      tiles: slice(tileInfo),
      switches: slice(tileInfo + 8),
      inputEnable: slice(tileInfo + 16),
      packages: slice(base + 56),
      globals: slice(base + 72),
    };
    this.belCount = this.section('bels').count;
    this.wireCount = this.section('wires').count;
    this.pipCount = this.section('pips').count;
  }

  private int(at: number): number {
    return this.data.readInt32LE(at);
  }

  private pointer(at: number): number {
    return at + this.int(at);
  }

  private string(at: number): string {
    return this.data.toString('latin1', at, this.data.indexOf(0, at));
  }

  private section(name: string): { at: number; count: number } {
    const found = this.sections[name];
    if (!found) throw new Error(`no section ${name}`);
    return found;
  }

  /** Type of each tile, row by row. */
  grid(): number[] {
    const { at, count } = this.section('grid');
    return Array.from({ length: count }, (_, i) => this.int(at + 4 * i));
  }

  /** Configuration entries of each type of tile. */
  tileTypes(): { rows: number; columns: number; entries: Record<string, [number, number][]> }[] {
    const { at, count } = this.section('tiles');
    return Array.from({ length: count }, (_, t) => {
      const tile = at + 12 * t;
      const first = this.pointer(tile + 4);
      const entries: Record<string, [number, number][]> = {};
      for (let k = 0; k < this.int(tile + 8); k++) {
        const entry = first + 12 * k;
        const bits = this.pointer(entry + 4);
        entries[this.string(this.pointer(entry))] = Array.from({ length: this.int(entry + 8) }, (_, j) => [
          this.data.readInt8(bits + 2 * j),
          this.data.readInt8(bits + 2 * j + 1),
        ]);
      }
      return { columns: this.data.readInt8(tile), rows: this.data.readInt8(tile + 1), entries };
    });
  }

  /** Place and configuration bits of a switch; null for a switch that only permutes LUT inputs. */
  switchBits(index: number): { x: number; y: number; bits: [number, number][] } | null {
    const at = this.section('switches').at + 20 * index;
    if (this.int(at + 4) >= 0) return null;
    return {
      x: this.data.readInt8(at + 8),
      y: this.data.readInt8(at + 9),
      bits: Array.from({ length: this.int(at) }, (_, k) => [
        this.data.readInt8(at + 10 + 2 * k),
        this.data.readInt8(at + 11 + 2 * k),
      ]),
    };
  }

  pip(index: number): Pip {
    const at = this.section('pips').at + 32 * index;
    return {
      source: this.int(at),
      target: this.int(at + 4),
      switch: this.int(at + 24),
      value: this.data.readUInt16LE(at + 22),
    };
  }

  bel(index: number): Bel {
    const at = this.section('bels').at + 20 * index;
    const wires = this.pointer(at + 8);
    const pins = new Map<number, number>();
    for (let k = 0; k < this.int(at + 12); k++) pins.set(this.int(wires + 12 * k), this.int(wires + 12 * k + 8));
    return {
      name: this.string(this.pointer(at)),
      type: this.int(at + 4),
      x: this.data.readInt8(at + 16),
      y: this.data.readInt8(at + 17),
      z: this.data.readInt8(at + 18),
      pins,
    };
  }

  wireName(wire: number): string {
    return this.string(this.pointer(this.section('wires').at + 52 * wire));
  }

  /** Pips that can drive a wire. */
  uphill(wire: number): number[] {
    const at = this.section('wires').at + 52 * wire + 8;
    const list = this.pointer(at);
    return Array.from({ length: this.int(at + 4) }, (_, k) => this.int(list + 4 * k));
  }

  /** Bel of the IO cell by package and pin name. */
  packages(): Map<string, Map<string, number>> {
    const { at, count } = this.section('packages');
    const all = new Map<string, Map<string, number>>();
    for (let i = 0; i < count; i++) {
      const entry = at + 12 * i;
      const pins = new Map<string, number>();
      const list = this.pointer(entry + 4);
      for (let k = 0; k < this.int(entry + 8); k++)
        pins.set(this.string(this.pointer(list + 8 * k)), this.int(list + 8 * k + 4));
      all.set(this.string(this.pointer(entry)), pins);
    }
    return all;
  }

  /** Global networks: place of the global buffer, the pad that can drive it, and the bit that selects the pad. */
  globals(): { x: number; y: number; padX: number; padY: number; padZ: number; extra: [number, number, number] }[] {
    const { at, count } = this.section('globals');
    return Array.from({ length: count }, (_, i) => {
      const p = at + 12 * i;
      const byte = (offset: number) => this.data.readUInt8(p + offset);
      return {
        x: byte(0),
        y: byte(1),
        padX: byte(2),
        padY: byte(3),
        padZ: byte(4),
        extra: [byte(5), this.data.readUInt16LE(p + 6), this.data.readUInt16LE(p + 8)],
      };
    });
  }

  /** Places of each IO cell's input-enable and pull-up bits. */
  inputEnable(): { io: [number, number, number]; bits: [number, number, number] }[] {
    const { at, count } = this.section('inputEnable');
    return Array.from({ length: count }, (_, i) => {
      const p = at + 6 * i;
      const byte = (offset: number) => this.data.readInt8(p + offset);
      return { io: [byte(0), byte(1), byte(2)], bits: [byte(3), byte(4), byte(5)] };
    });
  }
}
