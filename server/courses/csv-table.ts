import { cell } from '../registermap/csv.ts';

/** A spreadsheet would run such a text as a formula (OWASP, CSV injection). */
const FORMULA = /^[=+\-@\t\r]/;

/** Spreadsheets read UTF-8 as another encoding without it. */
const BYTE_ORDER_MARK = '\ufeff';

const textOf = (value: string | number | null): string =>
  typeof value === 'string' ? cell(FORMULA.test(value) ? `'${value}` : value) : String(value ?? '');

/** A table for spreadsheets. */
export const csvTable = (rows: readonly (readonly (string | number | null)[])[]): string =>
  BYTE_ORDER_MARK + rows.map((cells) => `${cells.map(textOf).join(',')}\r\n`).join('');
