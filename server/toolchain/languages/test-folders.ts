/** Folders for simulation and formal proofs. */
const BESIDE =
  /(?:^|\/)(?:tbs?|tests?|test_?bench(?:es)?|bench(?:es)?|sims?|simulations?|fv|formal|verif\w*|uvm\w*|dv)(?:[_-]\w*)?\//i;

/** Whether a file is in a folder for simulation or proofs. */
export const isTestFile = (file: string): boolean => BESIDE.test(file);
