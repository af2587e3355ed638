import type { DesignEntry } from './record.ts';

/** Maximum stored designs, of one owner and in all. */
const MAX_DESIGNS = 2000;
const MAX_DESIGNS_OF_OWNER = 250;
/** Bytes of all sources together. */
export const MAX_SOURCE_BYTES = 256 << 20;

function grouped(designs: Iterable<DesignEntry>): Map<string, DesignEntry[]> {
  const groups = new Map<string, DesignEntry[]>();
  for (const design of designs) {
    const group = groups.get(design.record.owner) ?? [];
    group.push(design);
    groups.set(design.record.owner, group);
  }
  return groups;
}

/** Bytes of a design's sources, each counted once. */
export function sourceBytes({ record }: DesignEntry): number {
  const sizes = new Map<string, number>();
  for (const { source_sha256, bytes } of record.versions) if (source_sha256) sizes.set(source_sha256, bytes);
  return [...sizes.values()].reduce((sum, size) => sum + size, 0);
}

const byAge = (a: DesignEntry, b: DesignEntry) => (a.record.updated_at < b.record.updated_at ? -1 : 1);

/**
 * The design to remove where there are too many; null where there are not. It belongs to the owner with the most
 * designs, so that no owner displaces another's. Designs with documents go last.
 */
export function designBeyond(
  designs: Iterable<DesignEntry>,
  most = MAX_DESIGNS,
  maxOfOwner = MAX_DESIGNS_OF_OWNER,
): DesignEntry | null {
  const groups = [...grouped(designs).values()].sort((a, b) => b.length - a.length);
  const [largest = []] = groups;
  const all = groups.reduce((sum, { length }) => sum + length, 0);
  if (all <= most && largest.length <= maxOfOwner) return null;
  const plain = largest.filter(({ documents }) => documents.size === 0);
  return (plain.length > 0 ? plain : largest).toSorted(byAge)[0] ?? null;
}

/** The version whose source to remove where all sources are too large, chosen the same way; null where they are not. */
export function sourceBeyond(
  designs: Iterable<DesignEntry>,
  most = MAX_SOURCE_BYTES,
): { design: DesignEntry; digest: string } | null {
  const sizes = [...grouped(designs).values()].map((group) => ({
    group,
    bytes: group.reduce((sum, design) => sum + sourceBytes(design), 0),
  }));
  if (sizes.reduce((sum, { bytes }) => sum + bytes, 0) <= most) return null;
  sizes.sort((a, b) => b.bytes - a.bytes);
  const oldest = (sizes[0]?.group ?? [])
    .flatMap((design) =>
      design.record.versions.flatMap(({ at, source_sha256: digest }) =>
        digest ? [{ design, at, digest }] : [],
      ),
    )
    .sort((a, b) => (a.at < b.at ? -1 : 1))[0];
  return oldest ?? null;
}
