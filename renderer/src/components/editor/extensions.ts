import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { bracketMatching, HighlightStyle, indentUnit, syntaxHighlighting } from '@codemirror/language';
import { highlightSelectionMatches, search, searchKeymap } from '@codemirror/search';
import { EditorState, type Extension } from '@codemirror/state';
import {
  drawSelection,
  EditorView,
  highlightSpecialChars,
  hoverTooltip,
  keymap,
  lineNumbers,
} from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { formatLiteral, parseLiteral, wordAt } from './literals.ts';
import { marks, messageAt } from './marks.ts';
import type { SourceEditorProps } from './props.ts';

/** The events of an editor. */
export type EditorEvents = Pick<SourceEditorProps, 'onChange' | 'onSubmit' | 'describe'>;

/** The colours are the page's custom properties: they reach into the shadow root and follow the theme. */
const theme = EditorView.theme({
  '&': { height: '100%', color: 'var(--ink)', backgroundColor: 'var(--panel)', fontSize: '13px' },
  '&.cm-focused': { outline: '2px solid var(--focus)', outlineOffset: '-2px' },
  '.cm-scroller': { fontFamily: 'var(--font-mono)', lineHeight: '1.5' },
  '.cm-gutters': {
    backgroundColor: 'var(--sunken)',
    color: 'var(--ink-3)',
    border: 'none',
    borderRight: '1px solid var(--line)',
  },
  '.cm-lineNumbers .cm-gutterElement': { padding: '0 8px 0 12px' },
  '.cm-marks': { width: '14px' },
  '.cm-selectionBackground, &.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground': {
    backgroundColor: 'color-mix(in srgb, var(--accent) 26%, transparent)',
  },
  '.cm-content': { caretColor: 'var(--ink)' },
  '.cm-cursor': { borderLeftColor: 'var(--ink)' },
  '.cm-error-line': { backgroundColor: 'var(--error-soft)' },
  '.cm-warning-line': { backgroundColor: 'var(--warn-soft)' },
  '.cm-shown-line': { boxShadow: 'inset 3px 0 0 var(--accent)', backgroundColor: 'var(--accent-soft)' },
  '.cm-mark': { fontWeight: '700', paddingLeft: '3px' },
  '.cm-mark-error': { color: 'var(--error)' },
  '.cm-mark-warning': { color: 'var(--warn)' },
  '.cm-tooltip': {
    backgroundColor: 'var(--raised)',
    color: 'var(--ink)',
    border: '1px solid var(--line)',
    borderRadius: '6px',
  },
  '.cm-message': { padding: '4px 8px', maxWidth: '60ch', fontFamily: 'var(--font-text)' },
  '.cm-message-text': { whiteSpace: 'pre-line' },
  '.cm-message-fact': { fontFamily: 'var(--font-mono)', fontVariantNumeric: 'tabular-nums' },
  '&.cm-focused .cm-matchingBracket': {
    backgroundColor: 'var(--accent-soft)',
    outline: '1px solid var(--edge)',
  },
  '.cm-panels': { backgroundColor: 'var(--raised)', color: 'var(--ink)', borderColor: 'var(--line)' },
  '.cm-panels input, .cm-panels button': {
    backgroundColor: 'var(--raised)',
    backgroundImage: 'none',
    color: 'var(--ink)',
    border: '1px solid var(--edge)',
    borderRadius: '4px',
  },
  '.cm-searchMatch': { backgroundColor: 'var(--mark)' },
  '.cm-searchMatch-selected': { backgroundColor: 'var(--mark-now)' },
  '.cm-selectionMatch': { backgroundColor: 'var(--accent-soft)' },
});

const highlighting = HighlightStyle.define([
  {
    tag: [tags.keyword, tags.controlKeyword, tags.definitionKeyword, tags.modifier],
    color: 'var(--code-keyword)',
  },
  { tag: [tags.typeName, tags.standard(tags.name), tags.className], color: 'var(--code-type)' },
  { tag: [tags.number, tags.bool, tags.atom], color: 'var(--code-number)' },
  { tag: [tags.string, tags.special(tags.string)], color: 'var(--code-string)' },
  { tag: tags.comment, color: 'var(--code-comment)', fontStyle: 'italic' },
  { tag: [tags.meta, tags.processingInstruction, tags.annotation], color: 'var(--code-meta)' },
]);

/** The lines of a tooltip as paragraphs, with numbers and names in the source's typeface. */
function tooltip(message: string | undefined, facts: readonly string[]): HTMLElement {
  const dom = document.createElement('div');
  dom.className = 'cm-message';
  for (const [lines, look] of [
    [message === undefined ? [] : [message], 'cm-message-text'],
    [facts, 'cm-message-fact'],
  ] as const)
    for (const line of lines) {
      const element = document.createElement('div');
      element.className = look;
      element.textContent = line;
      dom.append(element);
    }
  return dom;
}

/** The tooltip of a position: messages of the line, a number in every format, facts on a name. */
const factsOnHover = (events: { readonly current: EditorEvents }) =>
  hoverTooltip((view, position) => {
    const line = view.state.doc.lineAt(position);
    const message = messageAt(view, position);
    const word = wordAt(line.text, position - line.from);
    const literal = word && parseLiteral(word.text);
    const facts = literal ? formatLiteral(literal) : ((word && events.current.describe?.(word.text)) ?? []);
    if (message === undefined && facts.length === 0) return null;
    return {
      pos: facts.length > 0 && word ? line.from + word.from : line.from,
      above: true,
      create: () => ({ dom: tooltip(message, facts) }),
    };
  });

/** What an editable text needs: undo, and the keys that submit. */
function editing(events: { readonly current: EditorEvents }): Extension {
  const submit = () => {
    events.current.onSubmit?.();
    return true;
  };
  return [
    history(),
    indentUnit.of('  '),
    bracketMatching(),
    keymap.of([
      { key: 'Mod-s', run: submit, preventDefault: true },
      { key: 'Mod-Enter', run: submit, preventDefault: true },
      ...historyKeymap,
    ]),
    EditorView.updateListener.of((update) => {
      // Text from outside needs no event: its source has it.
      const typed = update.transactions.some((one) => one.docChanged && !one.isUserEvent('replace'));
      if (typed) events.current.onChange?.(update.state.doc.toString());
    }),
  ];
}

/** All extensions of an editor except its language. */
export function editorExtensions({
  label,
  editable,
  events,
}: {
  label: string;
  editable: boolean;
  events: { readonly current: EditorEvents };
}): Extension {
  return [
    lineNumbers(),
    // CodeMirror's own list lacks some characters that change the text direction.
    highlightSpecialChars({ addSpecialChars: /[\u202a-\u202e\u2066-\u2069]/g }),
    marks,
    factsOnHover(events),
    drawSelection(),
    highlightSelectionMatches(),
    search({ top: true }),
    editable ? editing(events) : EditorState.readOnly.of(true),
    keymap.of([...searchKeymap, ...defaultKeymap]),
    // Editable text takes the focus anyway; the attribute lets selectors find it.
    EditorView.contentAttributes.of({
      'aria-label': label,
      'aria-readonly': String(!editable),
      spellcheck: 'false',
      tabindex: '0',
    }),
    syntaxHighlighting(highlighting),
    theme,
  ];
}
