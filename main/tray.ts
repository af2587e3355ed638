import { Menu, type MenuItemConstructorOptions, nativeImage, Tray } from 'electron';
import type { FpgaState } from '../server/contract/nodes/nodes.ts';
import type { Activity } from './activity.ts';

const STATE_SIGN: Record<FpgaState, string> = {
  idle: '○',
  queued: '◌',
  building: '◐',
  programming: '◑',
  reserved: '▣',
  error: '✕',
};

/** `2 building, 1 reserved`: the relevant states, in the order of a build; `all idle` otherwise. */
export function describeNodes(activity: Pick<Activity, 'nodes'>): string {
  const order: FpgaState[] = ['error', 'queued', 'building', 'programming', 'reserved'];
  const parts = order.flatMap((state) => {
    const count = activity.nodes.filter((node) => node.state === state).length;
    return count > 0 ? [state === 'error' ? `${count} in error` : `${count} ${state}`] : [];
  });
  return parts.length > 0 ? parts.join(', ') : 'all idle';
}

interface TrayActions {
  showWindow(): void;
  openNode(fpgaId: number): void;
  quit(): void;
}

/** The menu of the tray: the nodes that are not idle, the window, and Quit. */
export function trayMenu(activity: Activity, actions: TrayActions): MenuItemConstructorOptions[] {
  const nodes = activity.nodes
    .filter((node) => node.state !== 'idle')
    .map(
      (node): MenuItemConstructorOptions => ({
        label: `${STATE_SIGN[node.state]} Node ${node.fpga_id}: ${node.state}${node.session ? `, ${node.session.owner}` : ''}`,
        click: () => actions.openNode(node.fpga_id),
      }),
    );
  return [
    { label: 'Open Wishbench', click: () => actions.showWindow() },
    { type: 'separator' },
    ...(nodes.length > 0 ? nodes : [{ label: 'All nodes are idle', enabled: false }]),
    { type: 'separator' },
    { label: 'Quit', click: () => actions.quit() },
  ];
}

export interface BenchTray {
  update(activity: Activity): void;
  destroy(): void;
}

export function setupTray(icon: string, actions: TrayActions): BenchTray {
  const tray = new Tray(nativeImage.createFromPath(icon));
  tray.on('click', () => actions.showWindow());
  let shown = '';
  return {
    update(activity) {
      const template = trayMenu(activity, actions);
      const key = JSON.stringify(template);
      if (key === shown) return; // rebuilding an open menu closes it on some desktops
      shown = key;
      tray.setToolTip(`Wishbench: ${describeNodes(activity)}`);
      tray.setContextMenu(Menu.buildFromTemplate(template));
    },
    destroy: () => tray.destroy(),
  };
}
