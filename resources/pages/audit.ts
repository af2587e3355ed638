import { AUDIT, type AuditEntry } from '../../server/contract/bench/audited.ts';
import { addressOf } from '../../server/contract/endpoints.ts';
import { byMethod, code, table } from './markdown.ts';

/** The table of docs/operations.md. */
export const auditTable = (): string =>
  table(
    ['Action (on the screen)', 'Requests'],
    Object.entries<AuditEntry>(AUDIT).map(([action, { title, operations, help }]) => [
      `${code(action)} (${title})`,
      help ?? byMethod(operations.map(addressOf)),
    ]),
  );
