/** Calls `make` when it is first asked, and hands out the same answer ever after. */
export function once<T>(make: () => Promise<T>): (() => Promise<T>) & { asked(): boolean } {
  let answer: Promise<T> | null = null;
  const ask = () => {
    answer ??= make();
    return answer;
  };
  return Object.assign(ask, { asked: () => answer !== null });
}
