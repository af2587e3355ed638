import {
  type Floorplan,
  MAX_CELLS,
  MAX_MODULES,
  type PlacedCell,
  type PlacedModule,
} from '../../contract/signals/floorplan.ts';
import { DESIGN } from '../netlist-file.ts';
import type { Placed } from './cells.ts';
import type { Scope } from './scopes.ts';
import { tilesOf } from './tiles.ts';

/** The inputs of a floorplan besides the cells. */
export interface FloorplanInputs {
  buildId: string;
  /** As nextpnr names part and package: `hx8k`, `ct256`. */
  part: string;
  package: string;
  /** Names of the design's sources, as its author knows them. */
  files: readonly string[];
  /** Ids of cells along the slowest path of all, and along the slowest of the design. */
  paths: { all: readonly string[]; design: readonly string[] };
}

/** Makes a floorplan. Above the maximum of cells, the bench's own are omitted first. */
export function makeFloorplan(placed: readonly Placed[], inputs: FloorplanInputs): Floorplan {
  const kept =
    placed.length <= MAX_CELLS
      ? placed
      : [...placed]
          .sort((a, b) => Number(b.origin.scope.design) - Number(a.origin.scope.design))
          .slice(0, MAX_CELLS);
  const files = new Files(inputs.files);
  const modules = new Modules(
    kept.map(({ origin }) => origin.scope),
    files,
  );
  const index = new Map(kept.map(({ id }, at) => [id, at]));
  const along = (ids: readonly string[]): number[] => {
    const cells = ids.flatMap((id) => index.get(id) ?? []);
    return cells.filter((cell, at) => cell !== cells[at - 1]);
  };
  return {
    version: 1,
    build_id: inputs.buildId,
    part: `${inputs.part}-${inputs.package}`,
    tiles: tilesOf(inputs.part),
    cells: kept.map((cell) => cellOf(cell, modules, files)),
    modules: modules.list,
    files: files.list,
    paths: { all: along(inputs.paths.all), design: along(inputs.paths.design) },
  };
}

function cellOf(cell: Placed, modules: Modules, files: Files): PlacedCell {
  const { kind, parts, x, y, z, origin } = cell;
  const at = modules.count(cell);
  return {
    name: origin.name ?? '',
    ...(origin.between && { between: true as const }),
    kind,
    ...(parts.length > 0 && { parts }),
    ...{ x, y, z, module: at },
    ...(origin.scope.design ? files.placeOf(origin.source) : {}),
  };
}

/** Sources of the design, as an indexed list. */
class Files {
  readonly list: string[];

  constructor(list: readonly string[]) {
    this.list = [...list];
  }

  /** The place in `echo.v:12.3-14.5`; none for a file that the author has not written. */
  placeOf(source: string | null): { file?: number; line?: number } {
    const [, name, line] = /^(.*?):(\d+)/.exec(source ?? '') ?? [];
    const file = this.list.findIndex((one) => one === name || `project/${one}` === name);
    return file < 0 ? {} : { file, line: Number(line) };
  }
}

/** Instances with cells, and their number of each kind. */
class Modules {
  readonly list: PlacedModule[] = [];
  readonly #index = new Map<Scope, number>();

  constructor(scopes: readonly Scope[], files: Files) {
    const used = [...new Set(scopes)].sort(
      (a, b) => a.path.length - b.path.length || (a.path.join('.') < b.path.join('.') ? -1 : 1),
    );
    for (const scope of used) {
      const around = this.list.length < MAX_MODULES ? undefined : this.#around(scope);
      if (around !== undefined) this.#index.set(scope, around);
      else this.#add(scope, files);
    }
  }

  #add(scope: Scope, files: Files): void {
    const { path, module, lines, design } = scope;
    this.#index.set(scope, this.list.length);
    this.list.push({
      path: path.slice(design ? DESIGN.length : 0).join('.'),
      module,
      whose: design ? 'design' : 'bench',
      ...(design && lines ? files.placeOf(`${lines.file}:${lines.from}`) : {}),
      ...{ cells: 0, lut: 0, ff: 0, carry: 0, ram: 0 },
    });
  }

  /** The nearest parent instance with an entry, on the same side. */
  #around(scope: Scope): number | undefined {
    let best: Scope | undefined;
    for (const one of this.#index.keys())
      if (
        one.design === scope.design &&
        one.path.every((step, depth) => scope.path[depth] === step) &&
        one.path.length > (best?.path.length ?? -1)
      )
        best = one;
    return best && this.#index.get(best);
  }

  /** Counts a cell for its module, and returns the module's index. */
  count({ kind, parts, origin }: Placed): number {
    const at = this.#index.get(origin.scope) ?? 0;
    const module = this.list[at];
    if (module) {
      module.cells++;
      for (const part of parts) module[part]++;
      if (kind === 'ram') module.ram++;
    }
    return at;
  }
}
