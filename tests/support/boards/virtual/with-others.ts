/** Runs with replaced methods of a class. */
export function withOthers<C, T>(of: { prototype: C }, others: Partial<C>, run: () => T): T {
  const own = Object.getOwnPropertyDescriptors(of.prototype);
  Object.assign(of.prototype as object, others);
  try {
    return run();
  } finally {
    Object.defineProperties(of.prototype, own);
  }
}
