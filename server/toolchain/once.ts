/** Calls `make` on the first call only, and returns the same promise every time. */
export function once<T>(make: () => Promise<T>): (() => Promise<T>) & { asked(): boolean } {
  let answer: Promise<T> | null = null;
  const ask = () => {
    answer ??= make();
    return answer;
  };
  return Object.assign(ask, { asked: () => answer !== null });
}
