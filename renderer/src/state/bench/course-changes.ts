import { createStore } from 'zustand/vanilla';

/** Time between two looks at a course, ms: at a deadline, thirty pages follow the hand-ins of thirty students. */
const REST_MS = 3_000;

/** Course → how many changes its screens are to follow: the first at once, those soon after it together. */
export function createCourseChanges() {
  const store = createStore<Readonly<Record<string, number>>>(() => ({}));
  /** Course that rests → whether it changed meanwhile. */
  const resting = new Map<string, boolean>();
  const note = (id: string): void => {
    if (resting.has(id)) {
      resting.set(id, true);
      return;
    }
    store.setState((seen) => ({ [id]: (seen[id] ?? 0) + 1 }));
    resting.set(id, false);
    setTimeout(() => {
      const changed = resting.get(id);
      resting.delete(id);
      if (changed) note(id);
    }, REST_MS);
  };
  return { store, note };
}
