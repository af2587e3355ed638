import { useState } from 'react';
import type { NodeView } from '../../../../server/contract/nodes/nodes.ts';
import type { NodeTab } from '../page/routes.ts';

/** The tab of a node without a tab in the address: the one with the primary action. */
const homeTab = (node: Pick<NodeView, 'state'>): NodeTab =>
  node.state === 'reserved' ? 'registers' : 'design';

/** The home tab of an open node, chosen once when it opens: a change of state must not switch the tab. */
export function useHomeTab(node: Pick<NodeView, 'fpga_id' | 'state'> | undefined): NodeTab | undefined {
  const [home, setHome] = useState<{ id: number; tab: NodeTab } | undefined>();
  if (node !== undefined && home?.id !== node.fpga_id) {
    const next = { id: node.fpga_id, tab: homeTab(node) };
    setHome(next);
    return next.tab;
  }
  return node && home?.tab;
}
