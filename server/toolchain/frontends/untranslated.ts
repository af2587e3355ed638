import type { PreparedDesign } from '../intake/prepared-design.ts';
import { type Judgement, unreadable } from '../slave/find-slave.ts';
import { slavesOf, vhdlMayBeMeant } from './excluded-sources.ts';

/**
 * Judges a design with entities that could not be translated by themselves. It refuses the design for such an entity
 * when the entity has the ports of a slave and no other slave exists, or when it contains the slave.
 */
export function judgeUntranslated(judgement: Judgement, source: PreparedDesign, chosen: boolean): Judgement {
  const slaves = slavesOf(judgement.scan);
  const { outcome } = judgement.scan;
  const { kind } = outcome;
  // A visible bus that cannot be connected is the reason, whatever else is wrong.
  if (kind === 'none' && outcome.nearest?.problem.bus) return judgement;
  if (chosen || !(kind === 'none' || kind === 'matched' || kind === 'ambiguous')) return judgement;
  const meant = source.unbuilt?.find(({ text }) => vhdlMayBeMeant(text, slaves, slaves.length === 0));
  if (!meant) return judgement;
  const [slave] = slaves;
  const message =
    slave === undefined
      ? meant.error.message
      : `${meant.error.message}; top=${slave} builds only ${slave}, a part of it`;
  return unreadable(source, [{ ...meant.error, message }, ...source.diagnostics]);
}
