// Completion: names of the scan, words of the text, keywords, and templates of a slave.
import {
  acceptCompletion,
  autocompletion,
  type Completion,
  type CompletionContext,
  type CompletionResult,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
  snippetCompletion,
} from '@codemirror/autocomplete';
import { EditorState, type Extension } from '@codemirror/state';
import { keymap } from '@codemirror/view';
import type { Declaration } from '../../../../server/contract/designs/declarations.ts';
import { text } from '../../text/text.ts';
import { describeDeclaration, moduleAt } from './declarations.ts';
import { KEYWORDS } from './keywords.ts';
import { SLAVE_TEMPLATES } from './slave-templates.ts';
import { namesIn, type SourceLanguage, tokensOf } from './tokens.ts';

/** Characters around the cursor whose words are offered: a larger text would delay the key. */
const NEAR = 40_000;

export interface CompletionSource {
  language: SourceLanguage;
  filename: string;
  declarations: readonly Declaration[];
}

/** The module whose instance has an open list of connections at the end of a text. */
export function instantiatedModule(before: string): string | undefined {
  const tokens = tokensOf(before, 'verilog').filter(({ kind }) => kind !== 'space' && kind !== 'comment');
  let at = tokens.length - 1;
  /** Moves to the bracket that opens the list around `at`. */
  const toOpening = () => {
    for (let depth = 0; at >= 0; at--) {
      if (tokens[at]?.text === ')') depth++;
      else if (tokens[at]?.text === '(' && depth-- === 0) return;
      else if (tokens[at]?.text === ';') at = -1;
    }
  };
  toOpening();
  at -= 2; // the bracket and the name of the instance
  if (tokens[at]?.text === ')') {
    at--;
    toOpening();
    at -= 2; // the bracket and the `#`
  }
  const module = tokens[at];
  return module?.kind === 'word' ? module.text : undefined;
}

const detailOf = (declaration: Declaration): string => describeDeclaration(declaration)[0] ?? '';

/** Ports of the module whose instance is being written. */
function portCompletions(before: string, declarations: readonly Declaration[]): Completion[] {
  const module = instantiatedModule(before);
  return declarations.flatMap((one) =>
    one.kind === 'port' && one.module === module
      ? snippetCompletion(`${one.name}(#{})`, { label: one.name, detail: detailOf(one) })
      : [],
  );
}

function allCompletions(
  { state, pos }: CompletionContext,
  from: number,
  source: CompletionSource,
): Completion[] {
  const { language, filename } = source;
  const declarations = source.declarations;
  const { number, from: lineFrom } = state.doc.lineAt(pos);
  const module = moduleAt(declarations, filename, number);
  const options = new Map<string, Completion>();
  for (const one of declarations)
    if (one.module === module || one.kind === 'module')
      options.set(one.name, {
        label: one.name,
        detail: detailOf(one),
        boost: one.kind === 'module' ? 1 : 2,
      });
  for (const word of KEYWORDS[language]) if (!options.has(word)) options.set(word, { label: word });
  const near = state.sliceDoc(Math.max(0, pos - NEAR), Math.min(state.doc.length, pos + NEAR));
  const own = state.sliceDoc(from, pos);
  for (const word of namesIn(near, language))
    if (!options.has(word) && word !== own && word.length > 1) options.set(word, { label: word, boost: -1 });
  const isLineStart = /^\s*$/.test(state.sliceDoc(lineFrom, from));
  const templates = isLineStart ? SLAVE_TEMPLATES[language] : [];
  return [
    ...options.values(),
    ...templates.map(({ label, detail, template }) =>
      snippetCompletion(template, { label, detail: `${text.editor.template}: ${detail}`, boost: 1 }),
    ),
  ];
}

/** What to offer at a position; null inside comments, strings and numbers. */
export function completionsAt(context: CompletionContext, source: CompletionSource): CompletionResult | null {
  const word = context.matchBefore(/[A-Za-z_$][\w$]*/);
  const from = word?.from ?? context.pos;
  const before = context.state.sliceDoc(Math.max(0, context.pos - NEAR), from);
  const isConnection = before.endsWith('.') && source.language === 'verilog';
  if (!word && !context.explicit && !isConnection) return null;
  // A digit or a tick before the word belongs to a number: `8'hFF`.
  if (/[\w']$/.test(before) || isInside(before, source.language)) return null;
  const options = isConnection
    ? portCompletions(before.slice(0, -1), source.declarations)
    : allCompletions(context, from, source);
  return options.length === 0 ? null : { from, options, validFor: /^[\w$]*$/ };
}

/** Whether the end of a text is inside a comment or a string. */
function isInside(before: string, language: SourceLanguage): boolean {
  const marked = `${before}\u{f8ff}`;
  const last = tokensOf(marked, language).at(-1);
  return last?.kind === 'comment' || last?.kind === 'string';
}

/** Brackets that close themselves. A tick does not: it is in every number of Verilog. */
const BRACKETS = EditorState.languageData.of(() => [{ closeBrackets: { brackets: ['(', '[', '{', '"'] } }]);

/** Completion with Ctrl+Space and while one types; Tab accepts only an open list, and else leaves the source. */
export function completion(source: () => CompletionSource | undefined): Extension {
  return [
    BRACKETS,
    closeBrackets(),
    autocompletion({
      icons: false,
      override: [
        (context) => {
          const current = source();
          return current ? completionsAt(context, current) : null;
        },
      ],
    }),
    keymap.of([{ key: 'Tab', run: acceptCompletion }, ...closeBracketsKeymap, ...completionKeymap]),
  ];
}
