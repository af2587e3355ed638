import { useRef, useState } from 'react';
import { Button } from '../../../components/Button.tsx';
import { FileInput } from '../../../components/FileInput.tsx';
import { formatBytes } from '../../../format/size.ts';
import { useBench } from '../../../state/client/context.tsx';
import { showToast } from '../../../state/page/toasts.ts';
import type { TerminalFeed } from '../../../state/pins/terminal.ts';
import type { LineEnding } from '../../../state/pins/terminal-settings.ts';
import { text } from '../../../text/text.ts';

const t = text.terminal;
/** Largest file: about five minutes at 115,200 baud. */
const MAX_FILE_BYTES = 1 << 20;

/** Below the screen of a terminal: a line with the earlier ones, and a file. */
export function TerminalInput({
  feed,
  history,
  ending,
  onEnding,
  locked,
  onLine,
}: {
  feed: TerminalFeed;
  history: readonly string[];
  ending: LineEnding;
  onEnding(ending: LineEnding): void;
  locked: boolean;
  onLine(line: string): void;
}) {
  const client = useBench();
  const file = useRef<HTMLInputElement | null>(null);
  const [line, setLine] = useState('');
  /** Place in the history; its length stands for the new line. */
  const [at, setAt] = useState(history.length);
  const draft = useRef('');
  const send = () => {
    onLine(line);
    setLine('');
    draft.current = '';
    setAt(Number.POSITIVE_INFINITY);
  };
  const recall = (step: number) => {
    const now = Math.min(at, history.length);
    const next = Math.max(0, Math.min(history.length, now + step));
    if (now === history.length) draft.current = line;
    setAt(next);
    setLine(history[next] ?? draft.current);
  };
  const sendFile = async (chosen: File | undefined) => {
    if (!chosen) return;
    if (chosen.size > MAX_FILE_BYTES)
      showToast(client.toasts, {
        tone: 'bad',
        text: t.tooLarge(chosen.name, formatBytes(MAX_FILE_BYTES)),
        remedy: t.tooLargeRemedy,
      });
    else feed.sendBytes(new Uint8Array(await chosen.arrayBuffer()));
  };
  return (
    <form
      className="terminal-input"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <input
        className="input mono"
        aria-label={t.line}
        placeholder={t.linePlaceholder}
        value={line}
        disabled={locked}
        autoComplete="off"
        spellCheck={false}
        onChange={(event) => setLine(event.target.value)}
        onKeyDown={(event) => {
          const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
          if (step === undefined) return;
          event.preventDefault();
          recall(step);
        }}
      />
      <select
        className="port-look"
        aria-label={t.ending}
        title={t.ending}
        value={ending}
        onChange={(event) => onEnding(event.target.value as LineEnding)}
      >
        {Object.entries(t.endings).map(([id, label]) => (
          <option key={id} value={id}>
            {label}
          </option>
        ))}
      </select>
      <Button type="submit" disabled={locked}>
        {t.send}
      </Button>
      <Button kind="quiet" icon="upload" disabled={locked} onClick={() => file.current?.click()}>
        {t.sendFile}
      </Button>
      <FileInput input={file} aria-label={t.sendFile} onFiles={([chosen]) => void sendFile(chosen)} />
    </form>
  );
}
