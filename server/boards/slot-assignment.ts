import { boardsError } from '../errors/boards.ts';
import type { Assignment } from './assignments.ts';
import type { AssignOptions } from './board.ts';
import type { BoardDefinition } from './definition.ts';
import type { AttachedBoard } from './discovery/attached.ts';
import type { Absence } from './real/usb-board.ts';

/**
 * Finds the attached board of an assignment: by serial number, or by the USB port if it was assigned that way. It never
 * takes a substitute: another device in the port, or two with the serial number, is an absence with its reason.
 */
export function findAssigned(
  assignment: Assignment,
  attached: readonly AttachedBoard[],
): { kind: 'attached'; board: AttachedBoard } | { kind: 'absent'; absence: Absence } {
  const [scheme, key] = split(assignment.board);
  const found = attached.find(
    (board) => board.id === assignment.board || (scheme === 'port' && board.location === key),
  );
  if (found) {
    if (found.candidates.some(({ id }) => id === assignment.definition))
      return { kind: 'attached', board: found };
    return {
      kind: 'absent',
      absence: {
        reason: `Another device is attached there: ${found.product ?? 'it reports no name'}.`,
        remedy: 'Plug the assigned board in again, or assign the one that is there.',
      },
    };
  }
  const twins = attached.filter((board) => scheme === 'usb' && board.serial === key);
  if (twins.length > 1)
    return {
      kind: 'absent',
      absence: {
        reason: `${twins.length} attached boards have the serial number ${key}, so the assignment is ambiguous.`,
        remedy: 'Unplug the others, or assign one of them by its USB port.',
      },
    };
  return {
    kind: 'absent',
    absence: {
      reason:
        scheme === 'port'
          ? `No board is in USB port ${key}.`
          : `The board with serial number ${key} is not plugged in.`,
      remedy: boardsError.specs.board_absent.remedy,
    },
  };
}

function split(id: string): [string, string] {
  const colon = id.indexOf(':');
  return [id.slice(0, colon), id.slice(colon + 1)];
}

/**
 * Chooses the catalogue board for a device: the named one, else the only candidate, else the one of its earlier
 * assignment.
 * @throws board_ambiguous, board_unsupported.
 */
export function chooseDefinition(
  candidates: readonly BoardDefinition[],
  options: AssignOptions,
  before: Assignment | undefined,
): BoardDefinition {
  const names = candidates.map(({ id }) => id).join(', ');
  const wanted = options.definition ?? (candidates.length === 1 ? candidates[0]?.id : before?.definition);
  if (wanted === undefined)
    throw boardsError('board_ambiguous', { message: `This device may be any of: ${names}.` });
  const definition = candidates.find(({ id }) => id === wanted);
  if (!definition)
    throw boardsError('board_unsupported', {
      message: `This device does not match ${wanted}; it may be: ${names}.`,
    });
  const { programmer } = definition;
  if (options.mode && programmer.kind !== 'virtual' && !programmer.modes.includes(options.mode))
    throw boardsError('board_unsupported', {
      message: `${definition.name} cannot be programmed in ${options.mode} mode.`,
      remedy: `Choose one of: ${programmer.modes.join(', ')}.`,
    });
  return definition;
}
