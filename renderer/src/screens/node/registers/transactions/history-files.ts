import type { Transaction } from '../../../../state/registers/transactions.ts';

const hex = (word: number): string => `0x${(word >>> 0).toString(16).padStart(8, '0')}`;

const operationOf = ({ request }: Transaction): string =>
  `${request.fixed_address ? 'fixed ' : ''}${request.op === 1 ? 'write' : 'read'}`;

/** The transactions as CSV by RFC 4180: one per line, words in plain hex. */
export function toCsv(list: readonly Transaction[]): string {
  const rows = list.map((transaction) => {
    const { at, request, count, state, data, milliseconds } = transaction;
    return [
      new Date(at).toISOString(),
      operationOf(transaction),
      hex(request.address),
      count,
      state,
      milliseconds === undefined ? '' : milliseconds.toFixed(2),
      `"${data.map(hex).join(' ')}"`,
    ].join(',');
  });
  return `${['time,operation,address,words,result,round_trip_ms,data', ...rows].join('\r\n')}\r\n`;
}

/** The transactions as JSON: addresses as hex text, words as numbers, the service's sentence for failures. */
export const toJson = (list: readonly Transaction[]): string =>
  `${JSON.stringify(
    list.map((transaction) => {
      const { at, owner, request, count, state, data, milliseconds, failure, jobId } = transaction;
      return {
        time: new Date(at).toISOString(),
        operation: request.op === 1 ? 'write' : 'read',
        address: hex(request.address),
        fixed_address: request.fixed_address === true,
        words: count,
        result: state,
        ...(milliseconds !== undefined && { round_trip_ms: Number(milliseconds.toFixed(2)) }),
        data,
        ...(owner !== undefined && { owner }),
        ...(failure && { failure: failure.message }),
        ...(jobId && { job_id: jobId }),
      };
    }),
    null,
    1,
  )}\n`;
