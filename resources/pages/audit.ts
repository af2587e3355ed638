import { AUDIT, type AuditEntry } from '../../server/contract/bench/audited.ts';
import { addressOf } from '../../server/contract/endpoints.ts';
import { code, table } from './markdown.ts';

/** The table of docs/operations.md. */
export const auditTable = (): string =>
  table(
    ['Action', 'On the screen', 'What it is'],
    Object.entries<AuditEntry>(AUDIT).map(([action, { title, operations, help }]) => [
      code(action),
      title,
      help ?? operations.map((id) => code(addressOf(id))).join(', '),
    ]),
  );
