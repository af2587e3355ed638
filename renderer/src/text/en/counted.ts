/** A number of things whose plural has an `s`, such as `1 node` and `2 nodes`. */
export const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;
