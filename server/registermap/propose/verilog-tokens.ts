/** A token of code. Numbers have their value; null for one with x, z or more than 32 bits. */
export type CodeToken =
  | { kind: 'name' | 'mark'; text: string; line: number }
  | { kind: 'number'; text: string; line: number; value: number | null; width: number | null };

const TOKEN =
  /[ \t\r]*(?:(\n)|(\d[\d_]*)?'[sS]?([bBoOdDhH])[ \t]?([0-9a-fA-FxXzZ?_]+)|'([01xXzZ])(?!\w)|(\d[\d_]*(?:\.\d+)?)|(`?[A-Za-z_][\w$]*|\\\S+)|("(?:[^"\\\n]|\\.)*"?)|(<=|==|!=|===|<<<?|>>>?|&&|\|\||->|=>|\+:|-:|::|:=|[^ \t\r]))/y;

const BASES: Readonly<Record<string, number>> = { b: 2, o: 8, d: 10, h: 16 };

/** Splits code without comments into tokens. Never fails: an unknown character is a mark. */
export function codeTokens(code: string): CodeToken[] {
  const tokens: CodeToken[] = [];
  let line = 1;
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < code.length) {
    const match = TOKEN.exec(code);
    // White space at the end.
    if (!match) break;
    const [whole, end, size, base, digits, fill, decimal, name, , sign] = match;
    const text = name ?? sign ?? whole.trim();
    if (end !== undefined) line++;
    else if (base !== undefined && digits !== undefined)
      tokens.push({
        kind: 'number',
        text,
        line,
        value: numeric(digits, BASES[base.toLowerCase()] ?? 10),
        width: size === undefined ? null : Number(size.replaceAll('_', '')),
      });
    else if (fill !== undefined)
      tokens.push({ kind: 'number', text, line, value: fill === '0' ? 0 : null, width: null });
    else if (decimal !== undefined)
      tokens.push({ kind: 'number', text, line, value: numeric(decimal, 10), width: null });
    else if (name !== undefined) tokens.push({ kind: 'name', text: name, line });
    else if (sign !== undefined) tokens.push({ kind: 'mark', text, line });
  }
  return tokens;
}

function numeric(digits: string, base: number): number | null {
  const plain = digits.replaceAll('_', '');
  if (/[xz?.]/i.test(plain)) return null;
  const value = Number.parseInt(plain, base);
  return Number.isSafeInteger(value) && value < 2 ** 32 ? value : null;
}
