import type { VhdlToken } from './vhdl-lexer.ts';

/** A process, or the body of a subprogram, by the indexes of its tokens. */
export interface VhdlBody {
  isProcess: boolean;
  start: number;
  begin: number;
  end: number;
  /** The outermost body around it; itself where there is none. */
  outer: VhdlBody;
}

/** A part of a value. */
export interface VhdlPart {
  /** From the whole to the part: a field of a record by its name, or an element of an array by its number of indexes. */
  steps: (string | number)[];
  /** The first brackets with a space between tokens; empty where the first step is a field. */
  place: string;
  /** It is several elements: the last step leads to one of them. */
  isSlice: boolean;
}

/** A statement that assigns a signal or a variable, or a part of it. */
export interface VhdlAssignment {
  name: string;
  /** Null for the whole. */
  part: VhdlPart | null;
  isSignal: boolean;
  /** Indexes of the statement's and the value's first tokens, and of the semicolon. */
  start: number;
  value: number;
  end: number;
}

/** Words after `end` where no process or subprogram ends. */
const INNER = /^(?:if|loop|case|record|units|protected|component|block|generate)$/;
/** Limit of bodies in the declarations of others. */
const DEEPEST = 20;
/** What is before a statement; `>` is the end of `=>`. */
const BEFORE_STATEMENT = /^(?:[;:>]|begin|then|else|loop)$/;
/** Words of statements that contain others. */
const COMPOUND = /^(?:if|elsif|else|case|for|while|loop|when|end|begin)$/;

/** Processes and bodies of subprograms, inner ones first. */
export function vhdlBodies(tokens: readonly VhdlToken[]): VhdlBody[] {
  const word = (at: number) => tokens[at]?.text ?? '';
  const found: VhdlBody[] = [];
  const open: VhdlBody[] = [];
  const openAt = (start: number, isProcess: boolean) => {
    const body: VhdlBody = { isProcess, start, begin: -1, end: -1, outer: null as never };
    body.outer = open[0] ?? body;
    open.push(body);
  };
  for (const [at, { text }] of tokens.entries()) {
    const top = open.at(-1);
    if (text === 'begin' && top) top.begin = at;
    // A body opens only in the declarations of another one.
    if (text !== 'end' && (!top || (top.begin < 0 && open.length <= DEEPEST))) {
      const head = word(at - 1) === 'postponed' ? at - 1 : at;
      if (text === 'process' && word(head - 1) !== 'end') openAt(head, true);
      if (/^(?:function|procedure)$/.test(text) && word(at - 1) !== 'end' && hasBody(tokens, at))
        openAt(at, false);
    }
    if (text !== 'end' || !top || top.begin < 0 || INNER.test(word(at + 1))) continue;
    top.end = at;
    found.push(top);
    open.pop();
  }
  return found;
}

/** Whether a subprogram is more than declared or instantiated. */
function hasBody(tokens: readonly VhdlToken[], at: number): boolean {
  const is = find(tokens, at, 'is', ';');
  return tokens[is]?.text === 'is' && tokens[is + 1]?.text !== 'new';
}

/** Limit of tokens of a declaration or statement outside of brackets. */
const LONGEST = 2000;

/**
 * Index of the first of some words at or after a place, outside of brackets that open there; that after the last token where
 * there is none near it.
 */
export function find(tokens: readonly VhdlToken[], from: number, ...words: readonly string[]): number {
  let at = from;
  for (let steps = 0; steps < LONGEST && at < tokens.length; steps++) {
    if (words.includes(tokens[at]?.text ?? '')) return at;
    at = afterBrackets(tokens, at);
  }
  return tokens.length;
}

/** Indexes of closing brackets by those of opening ones. */
const closing = new WeakMap<readonly VhdlToken[], ReadonlyMap<number, number>>();

/** Index after a token, or after the brackets that open there. */
export function afterBrackets(tokens: readonly VhdlToken[], from: number): number {
  let pairs = closing.get(tokens);
  if (!pairs) {
    const [found, open] = [new Map<number, number>(), [] as number[]];
    for (const [at, { text }] of tokens.entries()) {
      if (text === '(') open.push(at);
      const opened = text === ')' ? open.pop() : undefined;
      if (opened !== undefined) found.set(opened, at);
    }
    pairs = found;
    closing.set(tokens, pairs);
  }
  return (pairs.get(from) ?? from) + 1;
}

/** Limit of steps to a part. */
const MOST_STEPS = 8;

/** The part that begins with a dot or a bracket. */
export function partAt(tokens: readonly VhdlToken[], from: number): VhdlPart {
  const steps: VhdlPart['steps'] = [];
  let place = '';
  let isSlice = false;
  for (let at = from; steps.length < MOST_STEPS; ) {
    const { text = '' } = tokens[at] ?? {};
    if (!/^[.(]$/.test(text)) break;
    const end = text === '.' ? at + 2 : afterBrackets(tokens, at);
    if (text === '.') steps.push(tokens[at + 1]?.text ?? '');
    else {
      const inside: string[] = [];
      for (let inner = at + 1; inner < end - 1; inner = afterBrackets(tokens, inner))
        inside.push(tokens[inner]?.text ?? '');
      steps.push(1 + inside.filter((one) => one === ',').length);
      const texts = tokens.slice(at, end).map((token) => token.text);
      if (at === from) place = texts.join(' ');
      // What follows a slice is an element of the same array.
      isSlice = inside.some((one) => /^(?:to|downto|range)$/.test(one));
      if (isSlice) break;
    }
    at = end;
  }
  return { steps, place, isSlice };
}

/** Assignments of a body, and the names that it gives to procedures. */
export function vhdlAssignments(
  tokens: readonly VhdlToken[],
  { begin, end }: VhdlBody,
): { assignments: VhdlAssignment[]; given: string[] } {
  const word = (at: number) => tokens[at]?.text ?? '';
  const assignments: VhdlAssignment[] = [];
  const given: string[] = [];
  for (let at = begin + 1; at < end; at = afterBrackets(tokens, at)) {
    if (!BEFORE_STATEMENT.test(word(at - 1)) || tokens[at]?.kind !== 'word' || COMPOUND.test(word(at)))
      continue;
    if (word(at + 1) === ':' && word(at + 2) !== '=') continue; // a label
    let next = at + 1;
    while (/^[.(]$/.test(word(next))) next = word(next) === '.' ? next + 2 : afterBrackets(tokens, next);
    const isSignal = word(next) === '<';
    const semicolon = find(tokens, next, ';');
    if (semicolon >= end) continue;
    if (/^[<:]$/.test(word(next)) && word(next + 1) === '=') {
      const part = next > at + 1 ? partAt(tokens, at + 1) : null;
      assignments.push({ name: word(at), part, isSignal, start: at, value: next + 2, end: semicolon });
    } else if (next === semicolon)
      given.push(...tokens.slice(at + 1, next).flatMap(({ kind, text }) => (kind === 'word' ? [text] : [])));
    at = semicolon;
  }
  return { assignments, given };
}
