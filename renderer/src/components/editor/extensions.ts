import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { bracketMatching, indentOnInput, indentUnit, syntaxHighlighting } from '@codemirror/language';
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
import { text } from '../../text/text.ts';
import { completion } from './completion.ts';
import { declarationFor, describeDeclaration, type SourcePlace } from './declarations.ts';
import { folding } from './folding.ts';
import { formatSource } from './format.ts';
import { formatLiteral, parseLiteral, wordAt } from './literals.ts';
import { highlighting, theme } from './look.ts';
import { marks, messagesAt } from './marks.ts';
import { goToDeclaration, type Names } from './navigation.ts';
import { closePanel, element, panelSlot } from './panel.ts';
import { messageElement, showProblem } from './problems.ts';
import type { SourceEditorProps } from './props.ts';
import { renameAtCursor } from './rename-panel.ts';
import type { SourceLanguage } from './tokens.ts';

const { search: words } = text.editor;

/** CodeMirror's own words → the product's. */
const PHRASES = {
  next: words.next,
  previous: words.previous,
  all: words.selectAll,
  'match case': words.matchCase,
  regexp: words.regularExpression,
  'by word': words.wholeWord,
  replace: words.replace,
  'replace all': words.replaceAll,
};

/** The events of an editor. */
export interface EditorEvents extends Pick<SourceEditorProps, 'onChange' | 'onSubmit' | 'describe'> {
  /** Names of the last scan; absent for a file without a language. */
  names: Names | undefined;
  /** Shows a place in a file of the design. */
  onPlace(place: SourcePlace): void;
}

/** Facts on a name: of the matched design, and its declaration in the last scan. */
function factsOn(name: string, line: number, { describe, names }: EditorEvents): readonly string[] {
  const own = describe?.(name) ?? [];
  const declared = names && declarationFor(names.declarations, name, names.filename, line);
  if (!declared) return own;
  const facts = describeDeclaration(declared);
  // The design says more on its ports than a declaration.
  return own.length > 0 ? [...own, ...facts.slice(1)] : facts;
}

/** The tooltip of a position: messages of the line with their notes, a number in every format, facts on a name. */
const factsOnHover = (events: { readonly current: EditorEvents }) =>
  hoverTooltip((view, position) => {
    const line = view.state.doc.lineAt(position);
    const messages = messagesAt(view.state, position);
    const word = wordAt(line.text, position - line.from);
    const literal = word && parseLiteral(word.text);
    const facts = literal
      ? formatLiteral(literal)
      : word
        ? factsOn(word.text, line.number, events.current)
        : [];
    if (messages.length === 0 && facts.length === 0) return null;
    return {
      pos: facts.length > 0 && word ? line.from + word.from : line.from,
      above: true,
      create: () => ({
        dom: element('div', 'cm-message', [
          ...messages.map((one) => messageElement(one, (place) => events.current.onPlace?.(place))),
          ...facts.map((fact) => element('div', 'cm-message-fact', fact)),
        ]),
      }),
    };
  });

/** Ctrl+click on a name shows its declaration. */
const followOnClick = (events: { readonly current: EditorEvents }) =>
  EditorView.domEventHandlers({
    mousedown(event, view) {
      const { names } = events.current;
      if (!names || event.button !== 0 || !(event.ctrlKey || event.metaKey)) return false;
      const position = view.posAtCoords({ x: event.clientX, y: event.clientY });
      if (position === null || !goToDeclaration(view, position, names)) return false;
      event.preventDefault();
      return true;
    },
  });

/** The keys that read: declarations and messages. */
const reading = (events: { readonly current: EditorEvents }): Extension => {
  const onPlace = (place: SourcePlace) => events.current.onPlace?.(place);
  return keymap.of([
    {
      key: 'F12',
      run: (view) => {
        const { names } = events.current;
        return names !== undefined && goToDeclaration(view, view.state.selection.main.head, names);
      },
    },
    {
      key: 'F8',
      run: (view) => showProblem(view, 1, onPlace),
      shift: (view) => showProblem(view, -1, onPlace),
    },
    { key: 'Escape', run: closePanel },
  ]);
};

/** What an editable text needs: undo, and the keys that submit. */
function editing(events: { readonly current: EditorEvents }): Extension {
  const withLanguage = (run: (language: SourceLanguage) => boolean): boolean => {
    const language = events.current.names?.language;
    return language !== undefined && run(language);
  };
  const submit = () => {
    events.current.onSubmit?.();
    return true;
  };
  return [
    history(),
    // For the fields of a template that are the same name.
    EditorState.allowMultipleSelections.of(true),
    EditorView.clickAddsSelectionRange.of(({ altKey }) => altKey),
    indentUnit.of('  '),
    indentOnInput(),
    completion(() => events.current.names),
    keymap.of([
      { key: 'F2', run: (view) => withLanguage((language) => renameAtCursor(view, language)) },
      {
        key: 'Mod-Shift-f',
        run: (view) => withLanguage((language) => formatSource(view, language)),
        preventDefault: true,
      },
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
    followOnClick(events),
    reading(events),
    panelSlot,
    bracketMatching(),
    folding,
    EditorState.phrases.of(PHRASES),
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
