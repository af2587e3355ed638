import { defaultKeymap } from '@codemirror/commands';
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { highlightSelectionMatches, search, searchKeymap } from '@codemirror/search';
import { EditorState, type Extension, RangeSet, StateEffect, StateField } from '@codemirror/state';
import {
  Decoration,
  type DecorationSet,
  drawSelection,
  EditorView,
  GutterMarker,
  gutter,
  hoverTooltip,
  keymap,
  lineNumbers,
} from '@codemirror/view';
import { tags } from '@lezer/highlight';
import type { Diagnostic } from '../../../../server/contract/diagnostics.ts';

/** Colours are the page's custom properties: they reach into the shadow root and follow the theme. */
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

class Mark extends GutterMarker {
  readonly #severity: Diagnostic['severity'];
  readonly #message: string;
  constructor(severity: Diagnostic['severity'], message: string) {
    super();
    this.#severity = severity;
    this.#message = message;
  }
  override eq(other: Mark): boolean {
    return other.#severity === this.#severity && other.#message === this.#message;
  }
  override toDOM(): Node {
    const element = document.createElement('span');
    element.className = `cm-mark cm-mark-${this.#severity}`;
    element.textContent = this.#severity === 'error' ? '✕' : '!';
    element.title = this.#message;
    return element;
  }
}

interface Marks {
  lines: DecorationSet;
  gutter: RangeSet<GutterMarker>;
  messages: ReadonlyMap<number, string>;
}

const setMarks = StateEffect.define<Marks>();
const noMarks: Marks = { lines: Decoration.none, gutter: RangeSet.empty, messages: new Map() };
const marks = StateField.define<Marks>({
  create: () => noMarks,
  update: (value, transaction) =>
    transaction.effects.reduce((now, effect) => (effect.is(setMarks) ? effect.value : now), value),
  provide: (field) => EditorView.decorations.from(field, ({ lines }) => lines),
});

const setShown = StateEffect.define<DecorationSet>();
const shownLine = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update: (value, transaction) =>
    transaction.effects.reduce((now, effect) => (effect.is(setShown) ? effect.value : now), value),
  provide: (field) => EditorView.decorations.from(field),
});

/** Marks every line that a message is about; errors over warnings on the same line. */
export function showDiagnostics(view: EditorView, diagnostics: readonly Diagnostic[]): void {
  const byLine = new Map<number, Diagnostic[]>();
  for (const diagnostic of diagnostics) {
    const { line } = diagnostic;
    if (line !== undefined && line >= 1 && line <= view.state.doc.lines)
      byLine.set(line, [...(byLine.get(line) ?? []), diagnostic]);
  }
  const lines = [...byLine].sort(([a], [b]) => a - b);
  const messages = new Map<number, string>();
  const decorations = [];
  const markers = [];
  for (const [line, found] of lines) {
    const severity = found.some((diagnostic) => diagnostic.severity === 'error') ? 'error' : 'warning';
    const message = found.map((diagnostic) => diagnostic.message).join('\n');
    const { from } = view.state.doc.line(line);
    messages.set(line, message);
    decorations.push(Decoration.line({ class: `cm-${severity}-line` }).range(from));
    markers.push(new Mark(severity, message).range(from));
  }
  view.dispatch({
    effects: setMarks.of({ lines: Decoration.set(decorations), gutter: RangeSet.of(markers), messages }),
  });
}

/** Scrolls to a line, marks it, and puts the cursor there. */
export function showLine(view: EditorView, line: number): void {
  const { from } = view.state.doc.line(Math.min(Math.max(1, line), view.state.doc.lines));
  view.dispatch({
    selection: { anchor: from },
    effects: [
      EditorView.scrollIntoView(from, { y: 'center' }),
      setShown.of(Decoration.set([Decoration.line({ class: 'cm-shown-line' }).range(from)])),
    ],
  });
}

const messageOnHover = hoverTooltip((view, position) => {
  const line = view.state.doc.lineAt(position);
  const message = view.state.field(marks).messages.get(line.number);
  if (!message) return null;
  return {
    pos: line.from,
    create: () => {
      const dom = document.createElement('div');
      dom.className = 'cm-message';
      dom.textContent = message;
      return { dom };
    },
  };
});

export function baseExtensions(label: string): Extension {
  return [
    lineNumbers(),
    gutter({ class: 'cm-marks', markers: (view) => view.state.field(marks).gutter }),
    marks,
    shownLine,
    messageOnHover,
    drawSelection(),
    highlightSelectionMatches(),
    search({ top: true }),
    keymap.of([...searchKeymap, ...defaultKeymap]),
    EditorState.readOnly.of(true),
    EditorView.contentAttributes.of({ 'aria-label': label, 'aria-readonly': 'true', spellcheck: 'false' }),
    syntaxHighlighting(highlighting),
    theme,
  ];
}
