import { find } from '../../languages/vhdl/vhdl-bodies.ts';
import {
  type Edit,
  edited,
  onOneLine,
  type VhdlSource,
  vhdlSource,
} from '../../languages/vhdl/vhdl-places.ts';

/**
 * A source whose choices match: GHDL (5.0 too) makes `case?` and `select?` compare each `-` as a value of its own, which no
 * circuit has. They become conditions with `?=`, which it makes rightly. Line numbers do not change.
 */
export function withMatchingChoices(text: string): string {
  const source = vhdlSource(text);
  return edited(text, [...caseEdits(source), ...selectEdits(source)]);
}

/** Makes `case? a is when "1-" => … when others => … end case?;` an `if (a) ?= "1-" then … else … end if;`. */
function caseEdits({ text, tokens }: VhdlSource): Edit[] {
  const word = (at: number) => tokens[at]?.text ?? '';
  const start = (at: number) => tokens[at]?.start ?? text.length;
  const edits: Edit[] = [];
  /** Around a token: the case statements, with their expression and first choice; null for one without `?`. */
  const around: ({ of: string; first: number } | null)[] = [];
  for (const at of tokens.keys()) {
    const inner = around.at(-1);
    if (word(at) === 'case' && word(at - 1) === 'end') {
      if (inner) edits.push([start(at), start(at + 1) + 1, 'if']);
      around.pop();
    } else if (word(at) === 'case' && word(at + 1) !== '?') around.push(null);
    else if (word(at) === 'case') {
      const is = find(tokens, at, 'is', ';');
      if (word(is) !== 'is') return [];
      around.push({ of: onOneLine(text, start(at + 2), start(is)), first: is + 1 });
      edits.push([start(at), start(is) + 'is'.length, '']);
    } else if (word(at) === 'when' && inner && (at === inner.first || word(at - 1) === ';')) {
      const arrow = find(tokens, at, '>', ';');
      if (word(arrow) !== '>') return [];
      const choices = onOneLine(text, start(at) + 'when'.length, start(arrow - 1));
      const isFirst = at === inner.first;
      const condition = word(at + 1) === 'others' ? (isFirst ? 'if true then' : 'else') : null;
      edits.push([
        start(at),
        start(arrow) + 1,
        condition ?? `${isFirst ? 'if' : 'elsif'} ${matching(inner.of, choices)} then`,
      ]);
    }
  }
  return edits;
}

/** Limit of tokens of an expression that selects. */
const LONGEST = 200;

/** Makes `with a select? y <= b when "1-", c when others;` a `y <= b when (a) ?= "1-" else c;`. */
function selectEdits({ text, tokens }: VhdlSource): Edit[] {
  const word = (at: number) => tokens[at]?.text ?? '';
  const start = (at: number) => tokens[at]?.start ?? text.length;
  return tokens.flatMap(({ text: select }, at): Edit[] => {
    if (select !== 'select' || word(at + 1) !== '?') return [];
    const head =
      Math.max(0, at - LONGEST) +
      tokens.slice(Math.max(0, at - LONGEST), at).findLastIndex(({ text: word }) => word === 'with');
    if (word(head) !== 'with') return [];
    const of = onOneLine(text, start(head + 1), start(at));
    const edits: Edit[] = [[start(head), start(at + 1) + 1, '']];
    const end = find(tokens, at, ';');
    if (word(end) !== ';') return [];
    for (let when = find(tokens, at, 'when', ';'); when < end; when = find(tokens, when + 1, 'when', ';')) {
      const next = find(tokens, when, ',', ';');
      const choices = onOneLine(text, start(when + 1), start(next));
      const last = word(next) === ',' ? ' else' : '';
      const condition = word(when + 1) === 'others' ? '' : `when ${matching(of, choices)}${last}`;
      edits.push([start(when), start(next) + (last === '' ? 0 : 1), condition]);
    }
    return edits;
  });
}

/** The condition that a value matches one of some choices. */
const matching = (of: string, choices: string): string =>
  choices
    .split('|')
    .map((choice) => `(${of}) ?= ${choice.trim()}`)
    .join(' or ');
