/** Names of signals with commas between them, in characters that no tool reads as anything else. */
export const PROBES_PATTERN = '^\\s*[A-Za-z_][\\w$.:\\[\\]]*(\\s*,\\s*[A-Za-z_][\\w$.:\\[\\]]*)*\\s*$';
