import { afterBrackets, find } from '../../languages/vhdl/vhdl-bodies.ts';
import type { VhdlToken } from '../../languages/vhdl/vhdl-lexer.ts';
import {
  type Edit,
  edited,
  onOneLine,
  type VhdlSource,
  vhdlSource,
} from '../../languages/vhdl/vhdl-places.ts';

/** Limit of tokens of an expression that selects, and of the declaration of a constant. */
const LONGEST = 200;

/**
 * Sources whose choices GHDL reads as every other tool does: they become conditions. GHDL (5.0 too) makes `case?` and
 * `select?` compare each `-` as a value of its own, which no circuit has, and refuses a choice that depends on a generic
 * or a function. Line numbers do not change.
 */
export function withMatchingChoices(texts: readonly string[]): string[] {
  const sources = texts.map(vhdlSource);
  const computed = computedNames(sources);
  return sources.map((source) =>
    edited(source.text, [...caseEdits(source, computed), ...selectEdits(source, computed)]),
  );
}

/** Names of generics, and of constants whose value depends on a generic or a function. */
function computedNames(sources: readonly VhdlSource[]): ReadonlySet<string> {
  const computed = new Set<string>();
  for (let before = -1; before < computed.size; ) {
    before = computed.size;
    for (const { tokens } of sources)
      for (const [at, { text }] of tokens.entries())
        if (text === 'generic' && tokens[at + 1]?.text === '(') {
          const end = afterBrackets(tokens, at + 1);
          for (let name = at + 2; name < end; name = find(tokens, name, ';') + 1)
            for (const each of namesAt(tokens, name)) computed.add(each);
        } else if (text === 'constant') {
          const declaration = tokens.slice(at, at + LONGEST);
          const [value, end] = [find(declaration, 0, '=', ';'), find(declaration, 0, ';')];
          if (value < end && isComputed(declaration, value + 1, end, computed))
            for (const each of namesAt(declaration, 1)) computed.add(each);
        }
  }
  return computed;
}

/** The names before the `:` of a declaration. */
const namesAt = (tokens: readonly VhdlToken[], from: number): string[] =>
  tokens
    .slice(from, find(tokens, from, ':', ';'))
    .filter(({ kind, text }) => kind === 'word' && text !== 'constant')
    .map(({ text }) => text);

/** Whether an expression uses a computed name, or calls a function. */
const isComputed = (
  tokens: readonly VhdlToken[],
  from: number,
  end: number,
  computed: ReadonlySet<string>,
): boolean =>
  tokens
    .slice(from, end)
    .some(
      ({ kind, text }, at) => kind === 'word' && (computed.has(text) || tokens[from + at + 1]?.text === '('),
    );

/** A case statement: its `case`, its `is`, and its `when`. */
interface Case {
  at: number;
  is: number;
  whens: number[];
}

/** Makes `case? a is when "1-" => … when others => … end case?;` an `if (a) ?= "1-" then … else … end if;`. */
function caseEdits({ text, tokens }: VhdlSource, computed: ReadonlySet<string>): Edit[] {
  const word = (at: number) => tokens[at]?.text ?? '';
  const start = (at: number) => tokens[at]?.start ?? text.length;
  const edits: Edit[] = [];
  const around: Case[] = [];
  const arrowOf = (when: number) => find(tokens, when, '>', ';');
  const end = ({ at, is, whens }: Case, end: number) => {
    const matches = word(at + 1) === '?';
    if (whens.some((when) => word(arrowOf(when)) !== '>')) return;
    if (!matches && !whens.some((when) => isComputed(tokens, when + 1, arrowOf(when), computed))) return;
    const of = onOneLine(text, start(matches ? at + 2 : at + 1), start(is));
    edits.push([start(at), start(is) + 'is'.length, '']);
    for (const [n, when] of whens.entries()) {
      const choices = onOneLine(text, start(when) + 'when'.length, start(arrowOf(when) - 1));
      // The last one of a plain case has all values that are left.
      const isRest = word(when + 1) === 'others' || (!matches && n === whens.length - 1);
      const condition = isRest
        ? n === 0
          ? 'if true then'
          : 'else'
        : `${n === 0 ? 'if' : 'elsif'} ${matching(of, choices, matches)} then`;
      edits.push([start(when), start(arrowOf(when)) + 1, condition]);
    }
    edits.push([start(end), matches ? start(end + 1) + 1 : start(end) + 'case'.length, 'if']);
  };
  for (const at of tokens.keys()) {
    const inner = around.at(-1);
    if (word(at) === 'case' && word(at - 1) === 'end') {
      if (inner) end(inner, at);
      around.pop();
    } else if (word(at) === 'case') around.push({ at, is: find(tokens, at, 'is', ';'), whens: [] });
    else if (word(at) === 'when' && inner && (at === inner.is + 1 || word(at - 1) === ';'))
      inner.whens.push(at);
  }
  return edits;
}

/** Makes `with a select? y <= b when "1-", c when others;` a `y <= b when (a) ?= "1-" else c;`. */
function selectEdits({ text, tokens }: VhdlSource, computed: ReadonlySet<string>): Edit[] {
  const word = (at: number) => tokens[at]?.text ?? '';
  const start = (at: number) => tokens[at]?.start ?? text.length;
  return tokens.flatMap(({ text: select }, at): Edit[] => {
    if (select !== 'select') return [];
    const matches = word(at + 1) === '?';
    const head =
      Math.max(0, at - LONGEST) +
      tokens.slice(Math.max(0, at - LONGEST), at).findLastIndex(({ text: word }) => word === 'with');
    const end = find(tokens, at, ';');
    if (word(head) !== 'with' || word(end) !== ';') return [];
    const of = onOneLine(text, start(head + 1), start(at));
    const edits: Edit[] = [[start(head), matches ? start(at + 1) + 1 : start(at) + 'select'.length, '']];
    let isUsed = matches;
    for (let when = find(tokens, at, 'when', ';'); when < end; when = find(tokens, when + 1, 'when', ';')) {
      const next = find(tokens, when, ',', ';');
      const choices = onOneLine(text, start(when + 1), start(next));
      isUsed ||= isComputed(tokens, when + 1, next, computed);
      const isLast = word(next) !== ',';
      const isRest = word(when + 1) === 'others' || (!matches && isLast);
      const condition = isRest ? '' : `when ${matching(of, choices, matches)}${isLast ? '' : ' else'}`;
      edits.push([start(when), start(next) + (isLast ? 0 : 1), condition]);
    }
    return isUsed ? edits : [];
  });
}

/** The condition that a value is one of some choices. @param matches as `case?` compares */
const matching = (of: string, choices: string, matches: boolean): string =>
  choices
    .split('|')
    .map((choice) => {
      const [, low, order = '', high] = /^(.*?)\b(to|downto)\b(.*)$/i.exec(choice) ?? [];
      if (low === undefined || high === undefined) return `(${of}) ${matches ? '?=' : '='} ${choice.trim()}`;
      const [least, most] = order.toLowerCase() === 'to' ? [low, high] : [high, low];
      return `((${of}) >= ${least.trim()} and (${of}) <= ${most.trim()})`;
    })
    .join(' or ');
