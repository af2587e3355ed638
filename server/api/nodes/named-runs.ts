import {
  assignmentsOf,
  maskOf,
  type Place,
  placeOf,
  RegisterNameError,
} from '../../contract/client/register-names.ts';
import type { RegisterMap } from '../../contract/designs/register-map.ts';
import type { FieldProblem } from '../../contract/failures.ts';
import type { NamedRunRequest, RunRequest } from '../../contract/jobs/runs.ts';
import type { BenchError } from '../../errors/bench-error.ts';
import { jobsError } from '../../errors/jobs.ts';
import type { ApiContext } from '../context.ts';
import { validationError } from '../edge/validation.ts';

/** A run by numbers, and of a field its bits. */
interface NumericRun {
  request: RunRequest;
  /** Bits of the field that was named; undefined for a register as a whole. */
  mask: number | undefined;
}

const problem = (loc: FieldProblem['loc'], msg: string): BenchError =>
  validationError(
    [{ loc: ['body', ...loc], msg: msg.replace(/\.$/, ''), type: 'register_name' }],
    'GET /designs/{design_id}/map has the names.',
  );

/** What is wrong with a name or a value, at its place in the body. */
function named<T>(loc: FieldProblem['loc'], work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw error instanceof RegisterNameError ? problem(loc, error.message) : error;
  }
}

const isWhole = (mask: number): boolean => mask === 0xffff_ffff;

function readRun(request: NamedRunRequest, { register, field }: Place): NumericRun {
  const { count, fixed_address = false } = request;
  const { name, address, words = 1, access } = register;
  if ((field?.access ?? access) === 'wo')
    throw problem(['address'], `${request.address} can only be written`);
  const most = field ? 1 : words;
  if (count !== undefined && count > most && !(fixed_address && !field))
    throw problem(['count'], `${field ? request.address : name} has ${most} word${most === 1 ? '' : 's'}`);
  return {
    request: { op: 2, address, count: count ?? most, fixed_address },
    mask: field && maskOf(field),
  };
}

function writeRun(request: NamedRunRequest, { register, field }: Place, map: RegisterMap): NumericRun {
  const { data = [], select, fixed_address = false } = request;
  const { name, address, words = 1 } = register;
  if (field && data.length !== 1) throw problem(['data'], `${request.address} takes one value`);
  if (field && select !== undefined) throw problem(['select'], 'is for a register, not for a field of it');
  if (data.length > words && !fixed_address)
    throw problem(['data'], `${name} has ${words} word${words === 1 ? '' : 's'}`);
  // An empty list writes nothing: what can only be read is refused all the same.
  named(['address'], () => assignmentsOf(map, data.length === 0 ? [[request.address, 0]] : []));
  const assigned = data.map((value, at) => {
    const [one] = named(['data', at], () => assignmentsOf(map, [[request.address, value]]));
    if (!one) throw new TypeError('A name with a value is one assignment.');
    return one;
  });
  const [first] = assigned;
  // What cannot be read has zeros beside the field.
  const mask = first && !isWhole(first.mask) && first.readable ? first.mask : undefined;
  const written = assigned.map(({ value }) => value);
  const numeric: RunRequest = { op: 1, address, data: written, fixed_address };
  return { request: select === undefined ? numeric : { ...numeric, select }, mask };
}

/**
 * A run by the names of a map, by its numbers.
 * @throws BenchError validation_error: there is no such register, field or value, or it cannot be read or written.
 */
export function numericRun(request: NamedRunRequest, map: RegisterMap): NumericRun {
  const place = named(['address'], () => placeOf(map, request.address));
  return request.op === 2 ? readRun(request, place) : writeRun(request, place, map);
}

export const isNamedRun = (request: RunRequest | NamedRunRequest): request is NamedRunRequest =>
  typeof request.address === 'string';

/** The map of the design that runs on a node. @throws BenchError fpga_not_reserved; validation_error where it has none. */
export async function mapOnNode(
  { pool, designs }: Pick<ApiContext, 'pool' | 'designs'>,
  fpgaId: number,
): Promise<RegisterMap> {
  const { state, design } = pool.node(fpgaId);
  if (state !== 'reserved')
    throw jobsError('fpga_not_reserved', {
      message: `Node ${fpgaId} is ${state}; run needs a node that is reserved.`,
    });
  const id = design?.design_id ?? null;
  const map = id === null ? null : await designs.document(id, 'map');
  if (!map) throw problem(['address'], 'is a name, and no register map is kept with this design');
  return map;
}
