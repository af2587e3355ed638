import Type, { type Static } from 'typebox';
import { checkOf } from '../contract/check.ts';
import type { StoredDocument } from '../store/document.ts';
import type { DiscoveredBench } from './discovery.ts';

/** Maximum stored names; a new one removes the oldest. */
const MAX_STORED = 128;

const BenchName = Type.Object({ id: Type.String(), name: Type.String() });
export type BenchName = Static<typeof BenchName>;
export const areBenchNames = checkOf(Type.Array(BenchName, { maxItems: MAX_STORED }));

/** The form of a title in paths: letters, digits and hyphens. */
function plainName(title: string): string {
  const name = title
    .toLowerCase()
    .normalize('NFKD')
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 32)
    .replace(/^-+|-+$/g, '');
  return name === '' ? 'bench' : name;
}

/**
 * Names of discovered benches. A bench keeps its name, even over a restart of this bench. Otherwise a script could
 * reach another bench of the same title.
 */
export class BenchNames {
  readonly #document: StoredDocument<BenchName[]>;
  readonly #names: Map<string, string>;

  constructor(document: StoredDocument<BenchName[]>) {
    this.#document = document;
    this.#names = new Map(document.value.map(({ id, name }) => [id, name]));
  }

  /** The name of a bench; undefined for none. */
  of(id: string): string | undefined {
    return this.#names.get(id);
  }

  /** The name of a discovered bench, which gets one here if it has none. @param taken names that are in use */
  give({ id, title }: DiscoveredBench, taken: ReadonlyMap<string, unknown>): string {
    const given = this.#names.get(id);
    if (given !== undefined && !taken.has(given)) return given;
    const plain = plainName(title);
    const others = [...this.#names].filter(([one]) => one !== id).map(([, name]) => name);
    const name =
      plain === 'own' || taken.has(plain) || others.includes(plain) ? `${plain}-${id.slice(0, 6)}` : plain;
    this.#names.delete(id);
    this.#names.set(id, name);
    for (const [oldest] of this.#names) {
      if (this.#names.size <= MAX_STORED) break;
      this.#names.delete(oldest);
    }
    this.#document.writeSoon([...this.#names].map(([of, called]) => ({ id: of, name: called })));
    return name;
  }
}
