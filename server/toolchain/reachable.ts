/** Some values and all that is found behind them, each once. @param next what is directly behind one */
export function reachable<T>(first: Iterable<T>, next: (one: T) => Iterable<T>): Set<T> {
  const reached = new Set<T>();
  const open = [...first];
  while (open.length > 0) {
    const one = open.pop() as T;
    if (reached.has(one)) continue;
    reached.add(one);
    open.push(...next(one));
  }
  return reached;
}
