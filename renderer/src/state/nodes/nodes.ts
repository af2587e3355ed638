import { createStore } from 'zustand/vanilla';
import type { BoardView } from '../../../../server/contract/boards/boards.ts';
import type { NodeView } from '../../../../server/contract/nodes/nodes.ts';

interface NodesState {
  /** Undefined until the first answer of the service. */
  nodes: readonly NodeView[] | undefined;
}

export const createNodesStore = () => createStore<NodesState>(() => ({ nodes: undefined }));
export type NodesStore = ReturnType<typeof createNodesStore>;

export function setNodes(store: NodesStore, nodes: readonly NodeView[]): void {
  store.setState({ nodes: [...nodes].sort((a, b) => a.fpga_id - b.fpga_id) });
}

/** Updates changed nodes and boards; the others keep their identity, and their cards do not render again. */
export function mergeNodes(
  store: NodesStore,
  changed: ReadonlyMap<number, NodeView>,
  boards: ReadonlyMap<number, BoardView>,
): void {
  const { nodes } = store.getState();
  if (nodes === undefined || (changed.size === 0 && boards.size === 0)) return;
  store.setState({
    nodes: nodes.map((old) => {
      const node = changed.get(old.fpga_id) ?? old;
      const board = boards.get(old.fpga_id);
      return board === undefined ? node : { ...node, board };
    }),
  });
}
