// Marks of diagnostics in the editor.
import { type EditorState, type Extension, RangeSet, StateEffect, StateField } from '@codemirror/state';
import { Decoration, type DecorationSet, EditorView, GutterMarker, gutter } from '@codemirror/view';
import type { Diagnostic } from '../../../../server/contract/diagnostics.ts';

class Mark extends GutterMarker {
  readonly severity: Diagnostic['severity'];
  readonly diagnostics: readonly Diagnostic[];
  constructor(severity: Diagnostic['severity'], diagnostics: readonly Diagnostic[]) {
    super();
    this.severity = severity;
    this.diagnostics = diagnostics;
  }
  get message(): string {
    return this.diagnostics.map(({ message }) => message).join('\n');
  }
  override eq(other: Mark): boolean {
    return other.severity === this.severity && other.message === this.message;
  }
  override toDOM(): Node {
    const element = document.createElement('span');
    element.className = `cm-mark cm-mark-${this.severity}`;
    element.textContent = this.severity === 'error' ? '✕' : '!';
    element.title = this.message;
    return element;
  }
}

interface Marks {
  lines: DecorationSet;
  gutter: RangeSet<Mark>;
}

const setMarks = StateEffect.define<Marks>();
const noMarks: Marks = { lines: Decoration.none, gutter: RangeSet.empty };
const field = StateField.define<Marks>({
  create: () => noMarks,
  update: (value, transaction) => {
    for (const effect of transaction.effects) if (effect.is(setMarks)) return effect.value;
    if (!transaction.docChanged) return value;
    // Marks move with the text until the next scan.
    return { lines: value.lines.map(transaction.changes), gutter: value.gutter.map(transaction.changes) };
  },
  provide: (own) => EditorView.decorations.from(own, ({ lines }) => lines),
});

const setShown = StateEffect.define<DecorationSet>();
const shownLine = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update: (value, transaction) => {
    for (const effect of transaction.effects) if (effect.is(setShown)) return effect.value;
    return transaction.docChanged ? value.map(transaction.changes) : value;
  },
  provide: (own) => EditorView.decorations.from(own),
});

/** Marks every line with a message; errors win over warnings. */
export function showDiagnostics(view: EditorView, diagnostics: readonly Diagnostic[]): void {
  const byLine = new Map<number, Diagnostic[]>();
  for (const diagnostic of diagnostics) {
    const { line } = diagnostic;
    if (line !== undefined && line >= 1 && line <= view.state.doc.lines)
      byLine.set(line, [...(byLine.get(line) ?? []), diagnostic]);
  }
  const decorations = [];
  const markers = [];
  for (const [line, found] of [...byLine].sort(([a], [b]) => a - b)) {
    const severity = found.some((diagnostic) => diagnostic.severity === 'error') ? 'error' : 'warning';
    const { from } = view.state.doc.line(line);
    decorations.push(Decoration.line({ class: `cm-${severity}-line` }).range(from));
    markers.push(new Mark(severity, found).range(from));
  }
  view.dispatch({
    effects: setMarks.of({ lines: Decoration.set(decorations), gutter: RangeSet.of(markers) }),
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

/** The messages on the line of a position. */
export function messagesAt(state: EditorState, position: number): readonly Diagnostic[] {
  const { from, to } = state.doc.lineAt(position);
  const found: Diagnostic[] = [];
  state.field(field).gutter.between(from, to, (_from, _to, mark) => {
    found.push(...mark.diagnostics);
  });
  return found;
}

/** The lines with messages, from the top. */
export function markedLines(state: EditorState): { line: number; diagnostics: readonly Diagnostic[] }[] {
  const lines: { line: number; diagnostics: readonly Diagnostic[] }[] = [];
  state.field(field).gutter.between(0, state.doc.length, (from, _to, { diagnostics }) => {
    lines.push({ line: state.doc.lineAt(from).number, diagnostics });
  });
  return lines;
}

/** Diagnostics of the tools, in the gutter and on their lines. */
export const marks: Extension = [
  gutter({ class: 'cm-marks', markers: (view) => view.state.field(field).gutter }),
  field,
  shownLine,
];
