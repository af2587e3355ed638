/** A difference with its sign: `+1.3`, `−4`; `±0` if it rounds to zero. */
export function signed(difference: number, digits: number): string {
  const rounded = Number(difference.toFixed(digits));
  if (rounded === 0) return '±0';
  return `${rounded > 0 ? '+' : '−'}${Math.abs(rounded).toFixed(digits)}`;
}
