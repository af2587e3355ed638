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

/** A run with numeric addresses, and the mask of a field. */
interface NumericRun {
  request: RunRequest;
  /** The bits of the named field; undefined for a whole register. */
  mask: number | undefined;
}

const problem = (loc: FieldProblem['loc'], msg: string): BenchError =>
  validationError(
    [{ loc: ['body', ...loc], msg: msg.replace(/\.$/, ''), type: 'register_name' }],
    'GET /designs/{design_id}/map has the names.',
  );

/** Runs work and reports its error at a place in the body. */
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
  if ((field?.access ?? access) === 'wo') throw problem(['address'], `${request.address} is write-only`);
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
  if (field && select !== undefined) throw problem(['select'], 'applies to a register, not to a field');
  if (data.length > words && !fixed_address)
    throw problem(['data'], `${name} has ${words} word${words === 1 ? '' : 's'}`);
  // An empty list writes nothing, but a read-only target is still an error.
  named(['address'], () => assignmentsOf(map, data.length === 0 ? [[request.address, 0]] : []));
  const assigned = data.map((value, at) => {
    const [one] = named(['data', at], () => assignmentsOf(map, [[request.address, value]]));
    if (!one) throw new TypeError('A name with a value is one assignment.');
    return one;
  });
  const [first] = assigned;
  // A field of a write-only register: the other bits become zero.
  const mask = first && !isWhole(first.mask) && first.readable ? first.mask : undefined;
  const written = assigned.map(({ value }) => value);
  const numeric: RunRequest = { op: 1, address, data: written, fixed_address };
  return { request: select === undefined ? numeric : { ...numeric, select }, mask };
}

/**
 * Converts a run with names of a map to numbers.
 * @throws BenchError validation_error: there is no such register, field or value, or its access does not allow the run.
 */
export function numericRun(request: NamedRunRequest, map: RegisterMap): NumericRun {
  const place = named(['address'], () => placeOf(map, request.address));
  return request.op === 2 ? readRun(request, place) : writeRun(request, place, map);
}

export const isNamedRun = (request: RunRequest | NamedRunRequest): request is NamedRunRequest =>
  typeof request.address === 'string';

/**
 * The register map of the design on a node. @throws BenchError fpga_not_reserved; validation_error where it has none.
 */
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
  if (!map) throw problem(['address'], 'is a name, but this design has no register map');
  return map;
}
