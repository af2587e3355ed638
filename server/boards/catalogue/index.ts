import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { Value } from 'typebox/value';
import { resourcePath } from '../../paths.ts';
import { type BoardDefinition, userClock } from '../definition.ts';
import { type BoardFile, BoardFileSchema } from './schema.ts';

/** The boards of the catalogue, by id, in the order of their names. */
export interface Catalogue {
  readonly boards: readonly BoardDefinition[];
  get(id: string): BoardDefinition | undefined;
}

/** Id of the board in every slot without an assignment. */
export const VIRTUAL_BOARD = 'virtual-hx8k';

const boardsFolder = () => resourcePath('boards');

/**
 * Reads and checks every resources/boards/*.json.
 * @throws Error with the file and its first error: the files ship with the program, so an error in one is a bug, found
 * at start.
 */
export function loadCatalogue(folder = boardsFolder()): Catalogue {
  const boards = readdirSync(folder)
    .filter((file) => file.endsWith('.json'))
    .map((file) => readDefinition(folder, file))
    .sort((a, b) => a.name.localeCompare(b.name, 'en'));
  const byId = new Map(boards.map((board) => [board.id, board]));
  return { boards, get: (id) => byId.get(id) };
}

function readDefinition(folder: string, file: string): BoardDefinition {
  const wrong = (problem: string) => new Error(`Board file ${file}: ${problem}`);
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(path.join(folder, file), 'utf8'));
  } catch (error) {
    throw wrong(`it is not JSON (${error instanceof Error ? error.message : error})`);
  }
  if (!Value.Check(BoardFileSchema, value)) {
    const [first] = Value.Errors(BoardFileSchema, value);
    throw wrong(`${first?.instancePath || '/'} ${first?.message ?? 'does not fit the schema'}`);
  }
  const definition = withNumericIds(value);
  if (`${definition.id}.json` !== file) throw wrong(`its id is ${definition.id}`);
  if (!existsSync(path.join(folder, definition.constraints)))
    throw wrong(`${definition.constraints} is missing next to it`);
  if ((definition.programmer.kind === 'virtual') !== (definition.usb === undefined))
    throw wrong('a virtual board has no usb section, every other board has one');
  const { halvings } = userClock(definition);
  if (!Number.isInteger(halvings) || halvings < 0)
    throw wrong('clock.user.hz is not clock.hz divided by a power of two');
  if (definition.usb?.product !== undefined) new RegExp(definition.usb.product, 'i');
  return definition;
}

function withNumericIds({ usb, ...rest }: BoardFile): BoardDefinition {
  if (usb === undefined) return rest;
  const { vendorId, productId, deviceRelease, ...others } = usb;
  const ids = { vendorId: Number.parseInt(vendorId, 16), productId: Number.parseInt(productId, 16) };
  const release = deviceRelease === undefined ? {} : { deviceRelease: Number.parseInt(deviceRelease, 16) };
  return { ...rest, usb: { ...ids, ...release, ...others } };
}

/**
 * The pin constraints of a board (.pcf, .lpf or .cst) with the port names of the gateware's top module: `clk`, `rx`,
 * `tx`, `leds[i]`, `high[i]`.
 */
export function constraintsOf(definition: BoardDefinition, folder = boardsFolder()): string {
  return readFileSync(path.join(folder, definition.constraints), 'utf8');
}
