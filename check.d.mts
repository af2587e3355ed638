/** Something to run with Node; the rule holds when it ends with 0. */
export interface Rule {
  run: string[];
  /** How to mend what it finds. */
  mend?: string;
}
export const RULES: Record<string, Rule>;
export function check(rules: Record<string, Rule>, print: (text: string) => void): number;
