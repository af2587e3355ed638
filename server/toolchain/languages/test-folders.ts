/** Folders of what is there to simulate or to prove a design. */
const BESIDE =
  /(?:^|\/)(?:tbs?|tests?|test_?bench(?:es)?|bench(?:es)?|sims?|simulations?|fv|formal|verif\w*|uvm\w*|dv)(?:[_-]\w*)?\//i;

/** Whether a file stands in a folder of what simulates or proves a design. */
export const isTestFile = (file: string): boolean => BESIDE.test(file);
