/** Signal names separated by commas, in characters that have no other meaning to any tool. */
export const PROBES_PATTERN = '^\\s*[A-Za-z_][\\w$.:\\[\\]]*(\\s*,\\s*[A-Za-z_][\\w$.:\\[\\]]*)*\\s*$';
