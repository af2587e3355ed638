import type { BoardEntry } from '../contract/boards/boards.ts';
import type { Board } from './board.ts';
import { type AttachedBoard, linkPort } from './discovery/attached.ts';
import { UsbBoard } from './real/usb-board.ts';

/** A slot's board as the list shows it. */
export function boardInSlot(board: Board): BoardEntry {
  const { view, definition } = board;
  const common = {
    id: view.id,
    name: view.name,
    definition: view.definition,
    slot: view.slot,
    present: view.present,
  };
  if (!(board instanceof UsbBoard))
    return { ...common, kind: 'virtual', candidates: [definition.id], ...reasons(view.reason) };
  const { attached, mode } = board;
  return {
    ...common,
    kind: 'usb',
    candidates: attached ? attached.candidates.map(({ id }) => id) : [definition.id],
    mode,
    line_rate: board.lineRate,
    ...(attached
      ? {
          usb: usbFacts(attached),
          serialPort: linkPort(attached, definition)?.path ?? null,
          ...reasons(sharedSerial(attached)),
        }
      : reasons(board.absence.reason, board.absence.remedy)),
  };
}

/** An attached board without a slot. */
export function boardWithoutSlot(attached: AttachedBoard): BoardEntry {
  const [only, ...others] = attached.candidates;
  const certain = only !== undefined && others.length === 0 ? only : null;
  const ambiguity = certain
    ? null
    : `It may be any of: ${attached.candidates.map(({ name }) => name).join(', ')}.`;
  return {
    id: attached.id,
    kind: 'usb',
    name: certain?.name ?? attached.product ?? 'Unnamed FPGA board',
    definition: certain?.id ?? null,
    candidates: attached.candidates.map(({ id }) => id),
    slot: null,
    present: true,
    usb: usbFacts(attached),
    serialPort: only ? (linkPort(attached, only)?.path ?? null) : null,
    ...reasons(
      [ambiguity, sharedSerial(attached)].filter((reason) => reason != null).join(' ') || undefined,
      ambiguity ? 'Say which board it is when you assign it.' : undefined,
    ),
  };
}

function sharedSerial(attached: AttachedBoard): string | undefined {
  return attached.serialShared
    ? `Another attached device has the same serial number, so it is identified by its USB port ${attached.location}.`
    : undefined;
}

function usbFacts(attached: AttachedBoard): NonNullable<BoardEntry['usb']> {
  const { vendorId, productId, serial, location, manufacturer, product } = attached;
  return { vendorId, productId, serial, port: location, manufacturer, product };
}

const reasons = (reason?: string, remedy?: string) => ({
  ...(reason !== undefined && { reason }),
  ...(remedy !== undefined && { remedy }),
});
