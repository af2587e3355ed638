import Type, { type Static } from 'typebox';
import { checkOf } from '../contract/check.ts';
import {
  type DesignDetails,
  type DesignSummary,
  type DesignVersion,
  StoredVersion,
} from '../contract/designs/designs.ts';
import type { DocumentKind } from './documents.ts';

/** A design as its design.json has it. Replaced, never changed in place. */
const DesignRecord = Type.Object({
  owner: Type.String(),
  name: Type.String(),
  updated_at: Type.String(),
  versions: Type.Array(StoredVersion, { description: 'Newest first.' }),
});
export type DesignRecord = Readonly<Static<typeof DesignRecord>>;

export const isDesignRecord = checkOf(DesignRecord);

/** A known design with its record. */
export interface DesignEntry {
  readonly id: string;
  record: DesignRecord;
  readonly documents: Set<DocumentKind>;
}

/** The versions, each with the figures of the last earlier one that was built. */
export function versionsOf({ versions }: DesignRecord): DesignVersion[] {
  let before: DesignVersion['before'] = null;
  const seen: DesignVersion[] = [];
  for (const version of versions.toReversed()) {
    seen.push({ ...version, before });
    const { job_id, fmax, luts, seconds, ok } = version;
    if (ok) before = { job_id, fmax, luts, seconds };
  }
  return seen.reverse();
}

const basicsOf = ({ id, record: { owner, name, updated_at }, documents }: DesignEntry) => ({
  design_id: id,
  owner,
  name,
  updated_at,
  documents: [...documents].sort(),
});

export const detailsOf = (design: DesignEntry): DesignDetails => ({
  ...basicsOf(design),
  versions: versionsOf(design.record),
});

export function summaryOf(design: DesignEntry): DesignSummary {
  const versions = versionsOf(design.record);
  return { ...basicsOf(design), versions: versions.length, newest: versions[0] ?? null };
}
