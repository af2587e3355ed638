import { useEffect, useId, useMemo, useRef, useState } from 'react';
import { focusedElement } from '../components/focus.ts';
import { Icon } from '../components/Icon.tsx';
import { useBench } from '../state/client/context.tsx';
import { text } from '../text/text.ts';
import { type Command, commandsFor, score } from './commands.ts';
import type { Overlay } from './overlay.ts';
import './palette.css';
import { useRoute } from '../state/page/router.ts';
import { Keys } from './Keys.tsx';

const MOST = 60;

function fitting(commands: readonly Command[], query: string): Command[] {
  if (query.trim() === '') return [...commands];
  return commands
    .map((command) => ({ command, points: score(command, query) }))
    .filter(({ points }) => points > 0)
    .sort((a, b) => b.points - a.points)
    .map(({ command }) => command);
}

/** The command palette: a combobox over a list of all commands, in a modal dialog. */
export function CommandPalette({
  onClose,
  onOverlay,
}: {
  onClose(): void;
  onOverlay(overlay: Overlay): void;
}) {
  const client = useBench();
  const route = useRoute();
  const [query, setQuery] = useState('');
  const [at, setAt] = useState(0);
  const dialog = useRef<HTMLDialogElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const base = useId();
  // The commands are computed once, at opening: the list must not change under the pointer.
  // biome-ignore lint/correctness/useExhaustiveDependencies: computed once on purpose
  const commands = useMemo(() => commandsFor(client, route, onOverlay), []);
  const shown = fitting(commands, query).slice(0, MOST);
  const active = Math.min(at, shown.length - 1);

  useEffect(() => {
    const before = focusedElement();
    dialog.current?.showModal();
    return () => {
      if (before?.isConnected) before.focus();
    };
  }, []);
  useEffect(() => {
    list.current?.querySelector(`[id="${base}-${active}"]`)?.scrollIntoView?.({ block: 'nearest' });
  }, [active, base]);

  const run = (command: Command | undefined) => {
    if (!command) return;
    onClose();
    command.run();
  };
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: a click beside the palette closes it; the key for that is Escape
    <dialog
      ref={dialog}
      className="palette"
      aria-label={text.shell.palette}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onClick={(event) => event.target === dialog.current && onClose()}
    >
      <input
        className="palette-input"
        role="combobox"
        aria-expanded="true"
        aria-controls={`${base}-list`}
        aria-activedescendant={shown.length > 0 ? `${base}-${active}` : undefined}
        aria-label={text.shell.search}
        placeholder={text.shell.palettePlaceholder}
        value={query}
        autoComplete="off"
        spellCheck={false}
        onChange={(event) => {
          setQuery(event.target.value);
          setAt(0);
        }}
        onKeyDown={(event) => {
          if (event.key === 'ArrowDown') setAt((active + 1) % Math.max(1, shown.length));
          else if (event.key === 'ArrowUp') setAt((active - 1 + shown.length) % Math.max(1, shown.length));
          else if (event.key === 'Enter') run(shown[active]);
          else if (event.key === 'Escape') onClose();
          else return;
          event.preventDefault();
          event.stopPropagation();
        }}
      />
      <div
        ref={list}
        className="palette-list"
        role="listbox"
        id={`${base}-list`}
        aria-label={text.shell.palette}
      >
        {shown.map((command, index) => (
          // Keys act through the combobox, as the ARIA practices require.
          // biome-ignore lint/a11y/useKeyWithClickEvents: see above
          // biome-ignore lint/a11y/useFocusableInteractive: see above
          <div
            key={command.id}
            id={`${base}-${index}`}
            role="option"
            aria-selected={index === active}
            className="palette-item"
            onClick={() => run(command)}
            onMouseMove={() => setAt(index)}
          >
            <Icon name={command.icon} />
            <span className="truncate palette-label">{command.label}</span>
            {query.trim() !== '' && <span className="palette-group">{command.group}</span>}
            {command.keys && <Keys keys={command.keys} />}
          </div>
        ))}
      </div>
      {shown.length === 0 && <p className="palette-empty">{text.shell.paletteEmpty}</p>}
      <p className="palette-hint">{text.shell.paletteHint}</p>
    </dialog>
  );
}
