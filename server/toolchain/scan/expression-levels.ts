/** How tightly an operator with an operand on both sides binds; of equal ones the left one comes first. */
const BINDS: ReadonlyMap<string, number> = new Map(
  [
    '||',
    '&&',
    '|',
    '^ ^~ ~^',
    '& ~&',
    '== != === !== ==? !=?',
    '< > <= >=',
    '<< >> <<< >>>',
    '+ -',
    '* / %',
    '**',
  ].flatMap((operators, at) => operators.split(' ').map((operator): [string, number] => [operator, at + 1])),
);
const CHOICE = 0;
const UNARY = 100;

/** Levels that a bracket puts above what is in it, where something stands before it, and where nothing does. */
const BEHIND: Readonly<Record<string, number>> = { '(': 1, '[': 2, '{': 1 };
const ALONE: Readonly<Record<string, number>> = { '(': 0, '[': 1, '{': 1 };

interface Operator {
  binds: number;
  /** Levels of its left operand. */
  left: number;
  /** A `?` that waits for its `:`. */
  open: boolean;
}

interface Bracket {
  operators: Operator[];
  /** Levels of the operand that was read last; null where one is to come. */
  operand: number | null;
  /** Levels of the largest expression in it so far. */
  most: number;
  /** What its levels are put above. */
  opening: string;
}

/**
 * Levels of operations and brackets within each other in an expression, as the parser of Yosys stacks them: one for an
 * operator, none for parentheses alone, two for an index. It is given a token at a time and keeps no tokens.
 */
export class ExpressionLevels {
  readonly #brackets: Bracket[] = [newBracket('')];

  /** Levels of what is being read, were it to end here. */
  get levels(): number {
    const inner = this.#brackets.at(-1);
    return inner ? Math.max(inner.most, inner.operand ?? 0, (inner.operators.at(-1)?.left ?? -1) + 1) : 0;
  }

  /** Whether nothing of an expression has been read yet. */
  get empty(): boolean {
    const [outer, inner] = this.#brackets;
    return !inner && outer?.operand === null && outer.operators.length === 0;
  }

  /** A name, a number or a string. */
  operand(): void {
    const bracket = this.#inner;
    // Two side by side are two expressions: a condition, and the statement behind it.
    if (bracket.operand !== null) finish(bracket);
    bracket.operand = 0;
  }

  /** An operator, a bracket or another mark. @returns false where a semicolon outside of brackets, or a bracket too many, ends all */
  mark(text: string): boolean {
    if (text === '(' || text === '[' || text === '{') {
      const { operand } = this.#inner;
      if (operand !== null && text === '{' && this.#brackets.length === 1) finish(this.#inner);
      this.#brackets.push(newBracket(text));
    } else if (text === ')' || text === ']' || text === '}') return this.#close();
    else if (text === ';' || text === ',' || text === '=') finish(this.#inner);
    else this.#operator(text);
    return text !== ';' || this.#brackets.length > 1;
  }

  end(): void {
    this.#brackets.splice(0, Number.POSITIVE_INFINITY, newBracket(''));
  }

  get #inner(): Bracket {
    return this.#brackets.at(-1) as Bracket;
  }

  #close(): boolean {
    if (this.#brackets.length === 1) return false;
    const bracket = this.#brackets.pop() as Bracket;
    finish(bracket);
    const outer = this.#inner;
    const above = (outer.operand === null ? ALONE : BEHIND)[bracket.opening] ?? 0;
    outer.operand = Math.max(outer.operand ?? 0, bracket.most + above);
    return true;
  }

  #operator(text: string): void {
    const { operators, operand } = this.#inner;
    const binds = text === '?' ? CHOICE : BINDS.get(text);
    if (text === ':') {
      reduce(this.#inner, CHOICE + 1);
      const choice = operators.at(-1);
      if (!choice?.open) finish(this.#inner);
      else
        operators[operators.length - 1] = {
          ...choice,
          open: false,
          left: Math.max(choice.left, this.#inner.operand ?? 0),
        };
    } else if (operand === null || binds === undefined) {
      // Behind an operand it is none of these, but no operator either: an event, a delay, a cast.
      if (operand !== null) finish(this.#inner);
      operators.push({ binds: UNARY, left: 0, open: false });
    } else {
      reduce(this.#inner, Math.max(binds, CHOICE + 1));
      operators.push({ binds, left: this.#inner.operand ?? 0, open: text === '?' });
    }
    this.#inner.operand = null;
  }
}

const newBracket = (opening: string): Bracket => ({ operators: [], operand: null, most: 0, opening });

/** Puts together what binds at least so tightly. */
function reduce(bracket: Bracket, binds: number): void {
  for (let last = bracket.operators.at(-1); last && last.binds >= binds; last = bracket.operators.at(-1)) {
    bracket.operators.pop();
    bracket.operand = Math.max(last.left, bracket.operand ?? 0) + 1;
  }
}

function finish(bracket: Bracket): void {
  reduce(bracket, CHOICE);
  bracket.most = Math.max(bracket.most, bracket.operand ?? 0);
  bracket.operand = null;
}
