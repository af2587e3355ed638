import type { FieldProblem } from '../../contract/failures.ts';
import type { RunRequest } from '../../contract/jobs/runs.ts';
import type { NodePool } from '../../jobs/node-pool.ts';
import type { RunInput } from '../../jobs/pool.ts';
import { validationError } from '../edge/validation.ts';

/** First byte address of the base SoC's own registers, which are read-only. */
const BASE_SOC = 0xf000_0000;
const ADDRESS_SPACE = 2 ** 32;
const ALL_BYTES = 0b1111;

/**
 * Converts a valid RunRequest for the pool. Bursts must stay inside the address space, and writes inside the user's
 * region.
 * @throws BenchError validation_error.
 */
export function runOf(request: RunRequest, wordsPerRun: number): RunInput {
  const { op, address, fixed_address = false, select } = request;
  const data = op === 1 ? Uint32Array.from(request.data ?? []) : new Uint32Array(0);
  const count = op === 2 ? (request.count ?? 1) : data.length;
  const end = address + 4 * (fixed_address ? Math.min(count, 1) : count);
  const problems: FieldProblem[] = [];
  // Only for a read: the count of a write is ignored, so the schema can't limit it.
  if (count < 1 && op === 2)
    problems.push({ loc: ['body', 'count'], msg: 'must be at least 1', type: 'greater_than_equal' });
  if (count > wordsPerRun && op === 2)
    problems.push({
      loc: ['body', 'count'],
      msg: `must be at most ${wordsPerRun}`,
      type: 'less_than_equal',
    });
  if (select !== undefined && (op !== 1 || data.length !== 1))
    problems.push({ loc: ['body', 'select'], msg: 'applies only to a write of one word', type: 'select' });
  if (problems.length > 0) throw validationError(problems);
  if (op === 1 && data.length > 0 && end > BASE_SOC)
    problems.push({
      loc: ['body', 'address'],
      msg: 'a write must end below 0xF0000000, where the registers of the base SoC begin',
      type: 'address_range',
    });
  else if (end > ADDRESS_SPACE)
    problems.push({
      loc: ['body', op === 1 ? 'data' : 'count'],
      msg: 'goes past the end of the 32-bit address space',
      type: 'address_range',
    });
  if (problems.length > 0) throw validationError(problems);
  return {
    op,
    address: address >>> 0,
    data,
    count,
    fixed_address,
    ...(select === undefined ? {} : { select }),
  };
}

/**
 * Refuses a byte select for a design without byte selects: it would write the whole word.
 * @throws BenchError validation_error.
 */
export async function requireByteSelects(
  pool: NodePool,
  fpgaId: number,
  { select = ALL_BYTES }: RunInput,
): Promise<void> {
  const jobId = select === ALL_BYTES ? null : pool.designJob(fpgaId);
  // Without a design the run is refused anyway, and an old job may have no report any more.
  const report = jobId === null ? null : await pool.report(fpgaId, jobId).catch(() => null);
  if (report === null || report.design.roles['sel'] !== undefined) return;
  const msg = `${report.design.module} has no byte selects: a write changes all bytes of a word`;
  throw validationError([{ loc: ['body', 'select'], msg, type: 'select' }]);
}
