/** The only name that is like another one, by the letters to be changed: one of three at most. Null where there is none. */
export function nearest(name: string, names: Iterable<string>): string | null {
  let [best, least, alike] = ['', Math.max(1, Math.floor(name.length / 3)) + 1, 0];
  for (const one of new Set(names)) {
    if (one === name || one.length < 2 || Math.abs(one.length - name.length) >= least + 1) continue;
    const changes = changesBetween(name.toLowerCase(), one.toLowerCase());
    if (changes < least) [best, least, alike] = [one, changes, 1];
    else if (changes === least && alike > 0) alike++;
  }
  return alike === 1 && name.length > 1 ? best : null;
}

/** Letters more, less or other, and pairs that changed places, between two words. */
function changesBetween(one: string, other: string): number {
  let before: number[] = [];
  let row = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (let i = 1; i <= one.length; i++) {
    const next = [i];
    for (let j = 1; j <= other.length; j++) {
      const same = one[i - 1] === other[j - 1] ? 0 : 1;
      let least = Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, (row[j - 1] ?? 0) + same);
      if (i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1])
        least = Math.min(least, (before[j - 2] ?? 0) + 1);
      next.push(least);
    }
    [before, row] = [row, next];
  }
  return row[other.length] ?? 0;
}
