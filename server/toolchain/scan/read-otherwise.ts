import type { Diagnostic } from '../../contract/diagnostics.ts';
import { causeFirst, errorsOf } from '../diagnostics/findings.ts';
import { INTERNAL_ERROR } from '../diagnostics/plain-words.ts';
import { diagnosticLine, placed } from '../diagnostics/text.ts';
import { type Judgement, unreadable } from './judge.ts';
import { isLimitOfYosys } from './not-read.ts';
import type { PreparedDesign } from './prepared-design.ts';
import { isSystemVerilog, moduleOf, type ReadBySlang } from './slang.ts';

/** slang says so of what it makes no circuit of; what is to be written in its place our own words tell. */
const UNSUPPORTED = /^unsupported /;

/** For the log: why it was slang, without what is to be written where there is none. */
function readNote(why: Diagnostic): string {
  const [, reason = why.message] = /^(.*\bYosys\b[^:]*): /.exec(why.message) ?? [];
  return `note: read by slang: ${placed({ ...why, message: reason })}`;
}

/** How a design is read again. */
interface Readers {
  bySlang(how?: { top?: string; apart?: boolean }): Promise<ReadBySlang>;
  /** What the design is to the bench as slang read it. */
  judge(plain: PreparedDesign): Promise<Judgement>;
  log(line: string): void;
}

/** Where no top module is a slave: one that is below them, by itself. */
async function belowTop(judged: Judgement, { bySlang, judge }: Readers): Promise<Judgement> {
  if (judged.scan.outcome.kind !== 'none') return judged;
  const { design: apart } = await bySlang({ apart: true });
  const { matched } = apart ? (await judge(apart)).scan : { matched: null };
  if (matched === null) return judged;
  const { design } = await bySlang({ top: moduleOf(matched.module) });
  const alone = design && (await judge(design));
  return alone?.scan.matched ? alone : judged;
}

/** A design that Yosys may have read as something else, as slang reads it; with the warnings where it does not. */
async function beyondDoubt(own: Judgement, { bySlang, judge, log }: Readers): Promise<Judgement | null> {
  const { matched } = own.scan;
  const [first] = own.doubts;
  if (first === undefined || matched === null) return null;
  const { design } = await bySlang({ top: matched.module });
  const judged = design && (await judge(design));
  if (judged?.scan.matched?.module !== matched.module) {
    const diagnostics = causeFirst([...own.scan.diagnostics, ...own.doubts]);
    return {
      ...own,
      scan: { ...own.scan, diagnostics },
      lines: [...own.doubts.map(diagnosticLine), ...own.lines],
    };
  }
  log(readNote(first));
  return judged;
}

/**
 * A design in SystemVerilog that Yosys does not read, or would build as something else, as slang reads it. Where slang finds something
 * wrong that Yosys did not, the design is refused for that: the place at which Yosys ends may be where it knows no more of the language.
 * @param own what came of it with Yosys
 * @returns null where nothing of that changes
 */
export async function readOtherwise(
  own: Judgement,
  source: PreparedDesign,
  how: Readers,
): Promise<Judgement | null> {
  const { outcome, source: read } = own.scan;
  if (own.doubts.length > 0 && outcome.kind !== 'invalid') return beyondDoubt(own, how);
  if (!own.beyondYosys || outcome.kind !== 'invalid' || errorsOf(source.diagnostics).length > 0) return null;
  const [first] = errorsOf(outcome.errors);
  if (first === undefined) return null;
  // What Yosys has read, or ends at without a reason, slang reads as well, whatever it is; mistakes in plain Verilog it need not look at.
  const isRead = first.code !== 'yosys_error' || first.message === INTERNAL_ERROR;
  if (!isRead && !isSystemVerilog({ ...source, ...(read.edition && { edition: read.edition }) })) return null;
  const { design, diagnostics } = await how.bySlang();
  if (design) {
    const judged = await belowTop(await how.judge(design), how);
    if (judged.scan.outcome.kind === 'invalid') return null;
    how.log(readNote(first));
    return judged;
  }
  const errors = errorsOf(diagnostics).filter(({ message }) => !UNSUPPORTED.test(message));
  const isSame = errors.some(({ file, line }) => file === first.file && line === first.line);
  if (errors.length === 0 || (isSame && !isLimitOfYosys(first.message))) return null;
  how.log(`yosys: ${placed(first)}`);
  return unreadable(source, diagnostics);
}
