import { useEffect, useRef } from 'react';
import { useStore } from 'zustand';
import type { TerminalFeed } from '../../../state/pins/terminal.ts';
import { text } from '../../../text/text.ts';
import { bytesOfKey, terminalText } from './terminal-text.ts';

const t = text.panel;

/** Common rates of serial lines, bits per second. */
const RATES = [
  300, 1200, 2400, 4800, 9600, 19_200, 38_400, 57_600, 115_200, 230_400, 460_800, 921_600, 1_000_000,
];

/** A terminal on the design's serial line. */
export function Terminal({ feed, locked }: { feed: TerminalFeed; locked: boolean }) {
  const { line } = useStore(feed.store);
  const screen = useRef<HTMLTextAreaElement>(null);
  const shown = line ? terminalText(line.text) : '';
  // biome-ignore lint/correctness/useExhaustiveDependencies: whenever there is more
  useEffect(() => {
    const { current } = screen;
    if (current) current.scrollTop = current.scrollHeight;
  }, [shown]);
  if (line === null) return null;
  const { input, output, baud, lost, damaged } = line;
  const rates = RATES.includes(baud) ? RATES : [...RATES, baud].sort((a, b) => a - b);
  return (
    <section className="panel-part" aria-label={t.terminal}>
      <h3>{t.terminal}</h3>
      <section className="port terminal" aria-label={t.terminalOf(input, output)}>
        <header className="port-head">
          <h4 className="port-name">{t.terminalOf(input, output)}</h4>
          <select
            className="port-look"
            aria-label={t.rate}
            value={baud}
            disabled={locked}
            onChange={(event) => void feed.setBaud(Number(event.target.value))}
          >
            {rates.map((rate) => (
              <option key={rate} value={rate}>
                {t.baud(rate)}
              </option>
            ))}
          </select>
        </header>
        <textarea
          ref={screen}
          className="terminal-screen"
          aria-label={t.terminalOf(input, output)}
          readOnly
          spellCheck={false}
          rows={10}
          cols={80}
          value={shown}
          placeholder={locked ? t.terminalLocked : t.typeHere}
          onKeyDown={(event) => {
            const bytes = locked ? null : bytesOfKey(event);
            if (bytes === null) return;
            event.preventDefault();
            event.stopPropagation();
            feed.send(bytes);
          }}
          onPaste={(event) => {
            if (!locked) feed.send(event.clipboardData.getData('text').replace(/\r?\n/g, '\r'));
          }}
        />
        {(damaged || lost) && (
          <p className="terminal-note" role="status">
            {damaged ? t.otherRate : t.terminalLost}
          </p>
        )}
      </section>
    </section>
  );
}
