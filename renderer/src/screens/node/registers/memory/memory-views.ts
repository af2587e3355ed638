import type { MemoryImage } from './memory.ts';

/** What the memory view of a node shows: it is there again when the view is opened again. */
interface KeptView {
  from: string;
  count: string;
  image: MemoryImage;
}

export const memoryViews = new Map<number, KeptView>();

export function setMemoryView(node: number, view: KeptView): void {
  memoryViews.set(node, view);
}
