import { createStore } from 'zustand/vanilla';
import type { BenchView } from '../../../../server/contract/remote/benches.ts';

interface BenchesState {
  /** All but the shown one; undefined until the service has answered. */
  benches: readonly BenchView[] | undefined;
}

export const createBenchesStore = () => createStore<BenchesState>(() => ({ benches: undefined }));
type BenchesStore = ReturnType<typeof createBenchesStore>;

const byName = (benches: Iterable<BenchView>): BenchView[] =>
  [...benches].sort(
    (a, b) => Number(b.name === 'own') - Number(a.name === 'own') || (a.name < b.name ? -1 : 1),
  );

/** Replaces all benches; an unchanged one keeps its identity. */
export function setBenches(store: BenchesStore, benches: readonly BenchView[]): void {
  const before = new Map(store.getState().benches?.map((bench) => [bench.name, bench]));
  const merged = benches.map((bench) => {
    const old = before.get(bench.name);
    return old && JSON.stringify(old) === JSON.stringify(bench) ? old : bench;
  });
  store.setState({ benches: byName(merged) });
}

/** Updates changed benches and removes those that the service has dropped. */
export function mergeBenches(
  store: BenchesStore,
  changed: ReadonlyMap<string, BenchView>,
  removed: ReadonlySet<string>,
): void {
  if (changed.size + removed.size === 0) return;
  const all = new Map(store.getState().benches?.map((bench) => [bench.name, bench]));
  for (const [name, bench] of changed) all.set(name, bench);
  for (const name of removed) all.delete(name);
  store.setState({ benches: byName(all.values()) });
}
