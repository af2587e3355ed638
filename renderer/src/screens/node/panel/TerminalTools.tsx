import { Button, IconButton } from '../../../components/Button.tsx';
import { copyWithToast, saveFile } from '../../../components/clipboard.ts';
import { useBench } from '../../../state/client/context.tsx';
import { offerUndo } from '../../../state/page/toasts.ts';
import type { TerminalFeed } from '../../../state/pins/terminal.ts';
import type { TerminalSettings } from '../../../state/pins/terminal-settings.ts';
import { text } from '../../../text/text.ts';
import { terminalText } from './terminal-text.ts';

const t = text.terminal;

/** What becomes of the text of a terminal. */
export function TerminalActions({
  feed,
  name,
  settings,
}: {
  feed: TerminalFeed;
  /** Name of a saved file, without its end. */
  name: string;
  settings: TerminalSettings;
}) {
  const client = useBench();
  const { log } = feed;
  const { hex } = settings;
  const copy = () => copyWithToast(client.toasts, terminalText(log, settings), t.copied);
  const save = () =>
    hex
      ? saveFile(
          `${name}.bin`,
          log.bytes.slice(log.firstByte, log.bytes.end).slice(),
          'application/octet-stream',
        )
      : saveFile(`${name}.txt`, terminalText(log, settings), 'text/plain');
  return (
    <span className="row push">
      <Button kind="quiet" icon="copy" onClick={() => void copy()}>
        {t.copy}
      </Button>
      <Button kind="quiet" icon="download" onClick={() => void save()}>
        {t.save}
      </Button>
      <Button kind="quiet" icon="trash" onClick={() => offerUndo(client.toasts, t.cleared, feed.clear())}>
        {t.clear}
      </Button>
    </span>
  );
}

/** The bar above the screen of a terminal: how it shows, and the search. */
export function TerminalTools({
  settings,
  onSettings,
  query,
  matches,
  onQuery,
  onStep,
}: {
  settings: TerminalSettings;
  onSettings(change: Partial<TerminalSettings>): void;
  query: string;
  matches: string;
  onQuery(query: string): void;
  onStep(step: number): void;
}) {
  const { hex, times, echo } = settings;
  const switches = [
    { label: t.times, on: times && !hex, disabled: hex, change: { times: !times } },
    { label: t.echo, on: echo, disabled: false, change: { echo: !echo } },
    { label: t.hex, on: hex, disabled: false, change: { hex: !hex } },
  ];
  return (
    <div className="terminal-bar">
      {switches.map(({ label, on, disabled, change }) => (
        <Button
          key={label}
          className="terminal-switch"
          aria-pressed={on}
          disabled={disabled}
          onClick={() => onSettings(change)}
        >
          {label}
        </Button>
      ))}
      <search className="terminal-search">
        <input
          type="search"
          className="input"
          data-search=""
          aria-label={t.search}
          placeholder={t.searchPlaceholder}
          value={query}
          disabled={hex}
          onChange={(event) => onQuery(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === 'Enter') onStep(event.shiftKey ? 1 : -1);
            else if (event.key === 'Escape') {
              if (query === '') event.currentTarget.blur();
              onQuery('');
              event.stopPropagation();
            } else return;
            event.preventDefault();
          }}
        />
        <span className="terminal-count num" role="status">
          {matches}
        </span>
        <IconButton icon="up" label={text.log.previous} disabled={query === ''} onClick={() => onStep(-1)} />
        <IconButton icon="down" label={text.log.next} disabled={query === ''} onClick={() => onStep(1)} />
      </search>
    </div>
  );
}
