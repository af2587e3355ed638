/** The number of nodes and slots; ids run from 0 to NODE_COUNT - 1. */
export const NODE_COUNT = 10;
