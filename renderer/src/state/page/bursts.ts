/** Groups consecutive addresses into bursts. */
export function toBursts(addresses: Iterable<number>, most: number): { address: number; count: number }[] {
  const bursts: { address: number; count: number }[] = [];
  for (const address of [...new Set(addresses)].sort((a, b) => a - b)) {
    const last = bursts.at(-1);
    if (last && last.address + 4 * last.count === address && last.count < most) last.count += 1;
    else bursts.push({ address, count: 1 });
  }
  return bursts;
}
