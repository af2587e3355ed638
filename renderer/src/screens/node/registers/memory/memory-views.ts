import type { MemoryImage } from './memory.ts';

/** What the memory view of a node shows: it is there again when the view is opened again. */
export const memoryViews = new Map<number, MemoryImage>();
