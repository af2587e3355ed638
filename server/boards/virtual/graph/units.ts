import { assertNever } from '../../../errors/bench-error.ts';
import type { Cluster, Partition } from './partition.ts';

/** Clusters that are evaluated together, when a word that any of them reads has changed. */
export interface Unit {
  clusters: Cluster[];
  /** Clock domain of its registers; -1 for logic. */
  domain: number;
}

/** Maximum nodes of a unit: a mispredicted branch costs as much as evaluating some tens of them. */
const LOGIC_NODES = 48;
const REGISTER_NODES = 96;
/** Share of a cluster's words that the unit must read already for it to join. */
const AFFINITY = 0.5;
/** Cost of a cluster besides its nodes. */
const OVERHEAD = 4;

/** Clock domain in which a cluster changes state; -1 for logic. */
function domainOf(cluster: Cluster): number {
  switch (cluster.kind) {
    case 'logic':
      return -1;
    case 'register':
      return cluster.control.domain;
    case 'ram-read':
      return cluster.port.read.clockDomain;
    case 'ram-write':
      return cluster.port.write?.clockDomain ?? 0;
    default:
      return assertNever(cluster);
  }
}

/**
 * Joins clusters that tend to need evaluation at the same time. Logic comes first, in an order in which everything
 * follows its sources. Only clusters of the same level are joined, so that no two units depend on each other.
 */
export function joinClusters({ clusters, words }: Partition): Unit[] {
  const levelOfWord = new Int32Array(words);
  const levels: { cluster: Cluster; rank: number; domain: number }[] = clusters.map((cluster) => {
    const domain = domainOf(cluster);
    let rank = Number.MAX_SAFE_INTEGER;
    if (cluster.kind === 'logic') {
      rank = 1 + cluster.reads.reduce((most, word) => Math.max(most, levelOfWord[word] ?? 0), 0);
      levelOfWord[cluster.word] = rank;
    }
    return { cluster, rank, domain };
  });
  const groups = new Map<string, Cluster[]>();
  for (const { cluster, domain, rank } of levels.sort((x, y) => x.rank - y.rank)) {
    const key = domain < 0 ? `level ${rank}` : `domain ${domain}`;
    const group = groups.get(key);
    if (group) group.push(cluster);
    else groups.set(key, [cluster]);
  }
  return [...groups.values()].flatMap((group) => join(group));
}

function join(clusters: Cluster[]): Unit[] {
  const units: { unit: Unit; reads: Set<number>; cost: number }[] = [];
  const readers = new Map<number, Set<(typeof units)[number]>>();
  const note = (one: (typeof units)[number], words: number[]) => {
    for (const word of words) {
      one.reads.add(word);
      const known = readers.get(word);
      if (known) known.add(one);
      else readers.set(word, new Set([one]));
    }
  };
  for (const cluster of clusters) {
    const cost = cluster.nodes.length + OVERHEAD;
    const limit = cluster.kind === 'logic' ? LOGIC_NODES : REGISTER_NODES;
    let best: (typeof units)[number] | null = null;
    let bestShared = AFFINITY * cluster.reads.length;
    const candidates = new Map<(typeof units)[number], number>();
    for (const word of cluster.reads)
      for (const one of readers.get(word) ?? []) candidates.set(one, (candidates.get(one) ?? 0) + 1);
    for (const [one, shared] of candidates)
      if (one.cost + cost <= limit && (shared > bestShared || (shared === bestShared && best === null))) {
        best = one;
        bestShared = shared;
      }
    if (!best) {
      best = { unit: { clusters: [], domain: domainOf(cluster) }, reads: new Set(), cost: 0 };
      units.push(best);
    }
    best.unit.clusters.push(cluster);
    best.cost += cost;
    note(best, cluster.reads);
  }
  return units.map(({ unit }) => unit);
}
