import type { PreparedDesign } from '../intake/prepared-design.ts';
import { type Judgement, unreadable } from '../slave/find-slave.ts';
import { slavesOf, vhdlMayBeMeant } from './excluded-sources.ts';

/**
 * The judgement of a design of which entities could not be translated by themselves, or the refusal for one of them: where no
 * slave was found and it has the ports of one, or where it is around those that were.
 */
export function judgeUntranslated(judgement: Judgement, source: PreparedDesign, chosen: boolean): Judgement {
  const slaves = slavesOf(judgement.scan);
  const { outcome } = judgement.scan;
  const { kind } = outcome;
  // A bus that is plainly there, and cannot be connected, is the reason whatever else is wrong.
  if (kind === 'none' && outcome.nearest?.problem.bus) return judgement;
  if (chosen || !(kind === 'none' || kind === 'matched' || kind === 'ambiguous')) return judgement;
  const meant = source.unbuilt?.find(({ text }) => vhdlMayBeMeant(text, slaves, slaves.length === 0));
  if (!meant) return judgement;
  const [slave] = slaves;
  const message =
    slave === undefined
      ? meant.error.message
      : `${meant.error.message}; top=${slave} builds ${slave}, a part of it, alone`;
  return unreadable(source, [{ ...meant.error, message }, ...source.diagnostics]);
}
