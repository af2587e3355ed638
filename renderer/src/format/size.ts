/** Bytes as `512 B`, `4.2 KiB`, `135 KiB`, `1.0 MiB`. */
export function formatBytes(bytes: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  let value = bytes;
  let unit = 0;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${unit === 0 || value >= 99.95 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`;
}

/** A count with groups of thousands: `12,288`. */
export const formatCount = (count: number): string => Math.round(count).toLocaleString('en');

/** A fraction as a whole percentage: `62 %`. */
export const formatPercent = (fraction: number): string => `${Math.round(fraction * 100)} %`;
