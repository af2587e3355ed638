import { cell } from '../registermap/csv.ts';

/** A spreadsheet would run such a text as a formula (OWASP, CSV injection). */
const FORMULA = /^[=+\-@\t\r]/;

/** Spreadsheets read UTF-8 as another encoding without it. */
const BYTE_ORDER_MARK = '\ufeff';

/** A table for spreadsheets. */
export const csvTable = (rows: readonly (readonly string[])[]): string =>
  BYTE_ORDER_MARK +
  rows
    .map((cells) => `${cells.map((text) => cell(FORMULA.test(text) ? `'${text}` : text)).join(',')}\r\n`)
    .join('');
