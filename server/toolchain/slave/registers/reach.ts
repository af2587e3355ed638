import type { Bit, Cell } from '../netlist.ts';
import { type Hierarchy, REGISTER, type Scope } from './evaluation.ts';

/** Finds the nets that depend on some others within a clock, or through registers that are followed. */
export class Reach {
  readonly #hierarchy: Hierarchy;
  readonly #sources: ReadonlySet<number>;
  readonly #followed: ReadonlySet<number>;
  readonly #cells = new Map<Scope, Map<Cell, boolean>>();

  /** @param sources origins of nets @param followed of registers */
  constructor(hierarchy: Hierarchy, sources: ReadonlySet<number>, followed: ReadonlySet<number>) {
    this.#hierarchy = hierarchy;
    this.#sources = sources;
    this.#followed = followed;
  }

  of(scope: Scope, net: Bit | undefined): boolean {
    if (typeof net !== 'number') return false;
    const own = this.#hierarchy.number({ kind: 'net', scope, net });
    if (this.#sources.has(own)) return true;
    const driver = scope.drivers.get(net);
    if (!driver) return scope.parent !== null && this.of(scope.parent.scope, scope.outside.get(net));
    const { cell, port, at } = driver;
    if (!cell.type.startsWith('$')) {
      const inside = this.#hierarchy.inside(scope, cell);
      return inside !== null && this.of(inside, inside.module.nets.get(port)?.[at]);
    }
    return (!REGISTER.test(cell.type) || this.#followed.has(own)) && this.#ofCell(scope, cell);
  }

  #ofCell(scope: Scope, cell: Cell): boolean {
    const cells = this.#cells.get(scope) ?? new Map<Cell, boolean>();
    this.#cells.set(scope, cells);
    const known = cells.get(cell);
    if (known !== undefined) return known;
    cells.set(cell, false);
    const inputs = Object.entries(cell.connections).filter(([port]) => !cell.outputs.has(port));
    const isReached = this.#hierarchy.deeper(
      () => inputs.some(([, bits]) => bits.some((bit) => this.of(scope, bit))),
      false,
    );
    cells.set(cell, isReached);
    return isReached;
  }
}
