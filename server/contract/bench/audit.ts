import Type, { type Static } from 'typebox';
import { FpgaId } from '../boards/boards.ts';
import { component, enumOf, nullable, Timestamp, Uuid } from '../component.ts';
import { AUDIT_ACTIONS } from './audited.ts';

export const AuditEntry = component(
  'AuditEntry',
  Type.Object({
    seq: Type.Integer({ description: 'Counts from 1 without a gap.' }),
    time: Timestamp('When it was answered.'),
    action: enumOf(AUDIT_ACTIONS, {
      description: '`service`: start and end of the service; `request`: a refused one of another kind.',
    }),
    owner: Type.String({
      description: 'The caller’s name, by its key or its header; `system` for the service.',
    }),
    from: nullable(Type.String({ description: 'Address of the caller; null for the service itself.' })),
    operator: Type.Boolean({ description: 'The caller was the operator.' }),
    fpga_id: nullable(FpgaId),
    job_id: nullable(Uuid('The job that it made or meant.')),
    done: Type.Boolean({ description: 'False when it was refused.' }),
    code: nullable(Type.String({ description: 'Why it was refused: a code of the error catalogue.' })),
    times: Type.Integer({
      description: 'Refusals of one kind from one address within a minute are one entry with a count.',
    }),
    request_id: nullable(Type.String({ description: 'As in the log of the service.' })),
    details: Type.Record(Type.String(), Type.Union([Type.String(), Type.Number(), Type.Boolean()]), {
      description:
        'Such as the file of a submit or the addresses of a run. Never a secret, never a word of data.',
    }),
  }),
);
export type AuditEntry = Static<typeof AuditEntry>;

/** Whether the audit trail is whole. */
export const AuditChain = component(
  'AuditChain',
  Type.Object({
    intact: Type.Boolean({ description: 'No entry was changed, removed or cut off since it was written.' }),
    problem: nullable(Type.String({ description: 'The damage, and its place.' })),
    first: Type.Integer({ description: 'The oldest stored entry; 0 when there is none.' }),
    last: Type.Integer({ description: 'The newest entry; 0 when there is none.' }),
    head: Type.String({
      description:
        'SHA-256 over all entries up to the newest: a copy elsewhere proves that none was changed.',
    }),
  }),
);
export type AuditChain = Static<typeof AuditChain>;

export const AuditPage = component(
  'AuditPage',
  Type.Object({
    entries: Type.Array(AuditEntry, { description: 'Newest first.' }),
    more: Type.Boolean({ description: 'There are older ones: ask again with `before` = the last seq.' }),
    chain: AuditChain,
  }),
);
export type AuditPage = Static<typeof AuditPage>;

export const AuditQuery = Type.Object({
  action: Type.Optional(
    Type.Array(enumOf(AUDIT_ACTIONS), {
      maxItems: 20,
      description: 'Only these: several times, or with commas.',
    }),
  ),
  owner: Type.Optional(Type.String({ maxLength: 128, description: 'Only entries of this owner.' })),
  fpga_id: Type.Optional(FpgaId),
  done: Type.Optional(Type.Boolean({ description: '1: only completed actions; 0: only refusals.' })),
  since: Type.Optional(
    Type.String({ format: 'date-time', maxLength: 40, description: 'Not before this time.' }),
  ),
  until: Type.Optional(Type.String({ format: 'date-time', maxLength: 40, description: 'Before this time.' })),
  before: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 2 ** 53 - 1, description: 'Only entries older than this.' }),
  ),
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 1000, default: 100, description: 'Maximum number.' }),
  ),
});
export type AuditQuery = Static<typeof AuditQuery>;
