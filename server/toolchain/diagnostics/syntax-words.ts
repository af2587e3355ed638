/** What Yosys says of text that its grammar does not take. */
export interface UnexpectedToken {
  /** The token that it did not expect, as Yosys names it: `TOK_ALWAYS`, `';'`, `end of file`. */
  unexpected: string;
  /** Those that it would have taken, when they are few. */
  expecting: readonly string[];
}

/** Two numbers in a row: what stands before a tick would be the size of what follows. */
const NUMBER_BEHIND_NUMBER =
  /^Cast operation must be applied on sized constants, .* is not a sized constant\.?$/;

/** Reads `syntax error, unexpected TOK_ALWAYS, expecting ',' or ';'`; null for any other message. */
export function syntaxErrorOf(message: string): UnexpectedToken | null {
  if (NUMBER_BEHIND_NUMBER.test(message)) return { unexpected: 'TOK_CONSTVAL', expecting: [] };
  const [, unexpected, expecting] =
    /^syntax error, unexpected (.+?)(?:, expecting (.+))?$/.exec(message) ?? [];
  return unexpected === undefined ? null : { unexpected, expecting: expecting?.split(' or ') ?? [] };
}

/** Tokens that stand for one text each, where that is not in their name. */
const TEXTS: Readonly<Record<string, string>> = {
  ATTR_BEGIN: '(*',
  ATTR_END: '*)',
  DEFATTR_BEGIN: '{*',
  DEFATTR_END: '*}',
  OP_CAST: "'",
  OP_EQ: '==',
  OP_EQX: '===',
  OP_GE: '>=',
  OP_LAND: '&&',
  OP_LE: '<=',
  OP_LOR: '||',
  OP_NAND: '~&',
  OP_NE: '!=',
  OP_NEX: '!==',
  OP_NOR: '~|',
  OP_POW: '**',
  OP_SHL: '<<',
  OP_SHR: '>>',
  OP_SSHL: '<<<',
  OP_SSHR: '>>>',
  OP_XNOR: '~^',
  TOK_ADD_ASSIGN: '+=',
  TOK_BIT_AND_ASSIGN: '&=',
  TOK_BIT_OR_ASSIGN: '|=',
  TOK_BIT_XOR_ASSIGN: '^=',
  TOK_DECREMENT: '--',
  TOK_DIV_ASSIGN: '/=',
  TOK_DPI_FUNCTION: 'import',
  TOK_EVENTUALLY: 's_eventually',
  TOK_IGNORED_SPECIFY: 'specify',
  TOK_INCREMENT: '++',
  TOK_MOD_ASSIGN: '%=',
  TOK_MUL_ASSIGN: '*=',
  TOK_NEG_INDEXED: '-:',
  TOK_PACKAGESEP: '::',
  TOK_POS_INDEXED: '+:',
  TOK_SHL_ASSIGN: '<<=',
  TOK_SHR_ASSIGN: '>>=',
  TOK_SPECIFY_AND: '&&&',
  TOK_SPECIFY_OPER: '=>',
  TOK_SSHL_ASSIGN: '<<<=',
  TOK_SSHR_ASSIGN: '>>>=',
  TOK_SUB_ASSIGN: '-=',
  TOK_TO_SIGNED: '$signed',
  TOK_TO_UNSIGNED: '$unsigned',
  TOK_WILDCARD_CONNECT: '.*',
};

/** Tokens that stand for many texts. */
const KINDS: Readonly<Record<string, string>> = {
  TOK_BASE: 'the base of a number',
  TOK_BASED_CONSTVAL: 'a number',
  TOK_CONSTVAL: 'a number',
  TOK_ID: 'a name',
  TOK_MSG_TASKS: 'a task for messages',
  TOK_PKG_USER_TYPE: 'the name of a type',
  TOK_PRIMITIVE: 'a gate',
  TOK_REALVAL: 'a real number',
  TOK_STRING: 'a string',
  TOK_SVA_LABEL: 'a label',
  TOK_TIME_SCALE: 'a time scale',
  TOK_UNBASED_UNSIZED_CONSTVAL: 'a number',
  TOK_USER_TYPE: 'the name of a type',
  'end of file': 'end of file',
};

/** The text that a token of Yosys stands for: `always` of `TOK_ALWAYS`, `;` of `';'`; null for a kind, such as names. */
function textOfToken(token: string): string | null {
  if (Object.hasOwn(KINDS, token)) return null;
  const [, character, keyword] = /^'(.+)'$|^TOK_([A-Z]\w*)$/.exec(token) ?? [];
  return TEXTS[token] ?? character ?? keyword?.toLowerCase() ?? null;
}

const worded = (token: string): string => {
  const text = textOfToken(token);
  return text === null ? (KINDS[token] ?? token) : `\`${text}\``;
};

/**
 * The same in the words of the language: "syntax error, unexpected `always`, expecting `,` or `;`".
 * @param found the text of the token, where it is known
 */
export function inWords({ unexpected, expecting }: UnexpectedToken, found: string | null = null): string {
  const words = [...new Set(expecting.map(worded))];
  const few = words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
  // What was found is the first character of a mark that has several.
  const cut = found !== null && (textOfToken(unexpected) ?? '').startsWith(found);
  const what = found === null || cut || unexpected.endsWith('CONSTVAL') ? worded(unexpected) : `\`${found}\``;
  return `syntax error, unexpected ${what}${few && `, expecting ${few}`}`;
}
