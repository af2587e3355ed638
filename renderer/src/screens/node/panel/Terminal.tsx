// The terminal on the serial line of the running design.
import './terminal.css';
import { useMemo, useRef, useState } from 'react';
import { useStore } from 'zustand';
import { Button } from '../../../components/Button.tsx';
import { formatBytes } from '../../../format/size.ts';
import { useBench } from '../../../state/client/context.tsx';
import type { TerminalFeed } from '../../../state/pins/terminal.ts';
import {
  LINE_ENDINGS,
  readTerminalSettings,
  type TerminalSettings,
  withLine,
  writeTerminalSettings,
} from '../../../state/pins/terminal-settings.ts';
import { text } from '../../../text/text.ts';
import { TerminalInput } from './TerminalInput.tsx';
import { TerminalLines } from './TerminalLines.tsx';
import { TerminalActions, TerminalTools } from './TerminalTools.tsx';
import { findLines, NOTHING_FOUND, textOfKey } from './terminal-text.ts';

const t = text.terminal;

/** Common rates of serial lines, bits per second. */
const RATES = [
  300, 1200, 2400, 4800, 9600, 19_200, 38_400, 57_600, 115_200, 230_400, 460_800, 921_600, 1_000_000,
];

/** Less is sent before a person could read it. */
const SHOWN_UNSENT = 512;

/** The lines that match, and the one to look at: the newest first. */
function useSearch(feed: TerminalFeed, query: string) {
  const found = useRef(NOTHING_FOUND);
  found.current = findLines(feed.log, query, found.current);
  const { lines } = found.current;
  const [current, setCurrent] = useState<number>();
  const at = current === undefined ? lines.length - 1 : lines.findIndex((number) => number >= current);
  return {
    at: at === -1 ? lines.length - 1 : at,
    lines,
    setCurrent,
  };
}

/** A terminal on the design's serial line. */
export function Terminal({
  feed,
  locked,
  label,
}: {
  feed: TerminalFeed;
  locked: boolean;
  /** What a person calls it. */
  label?: string | undefined;
}) {
  const client = useBench();
  const { line, unsent } = useStore(feed.store);
  const [settings, setSettings] = useState(() => readTerminalSettings(client.memory));
  const [follow, setFollow] = useState(true);
  const [query, setQuery] = useState('');
  const [goTo, setGoTo] = useState<{ line: number }>();
  const { at, lines, setCurrent } = useSearch(feed, settings.hex ? '' : query);
  const rates = useMemo(
    () => (line && !RATES.includes(line.baud) ? [...RATES, line.baud].sort((a, b) => a - b) : RATES),
    [line],
  );
  if (line === null) return null;
  const { input, output, baud, lost, damaged } = line;
  const change = (changed: Partial<TerminalSettings>) => {
    const next = { ...settings, ...changed };
    setSettings(next);
    writeTerminalSettings(client.memory, next);
  };
  const ending = LINE_ENDINGS[settings.ending];
  const send = (typed: string) => {
    feed.send(typed, settings.echo);
    setFollow(true);
  };
  const step = (by: number) => {
    if (lines.length === 0) return;
    const next = lines[(at + by + lines.length) % lines.length];
    if (next === undefined) return;
    setCurrent(next);
    setFollow(false);
    setGoTo({ line: next });
  };
  return (
    <section className="port terminal" aria-label={t.of(input, output)}>
      <header className="port-head">
        <h4 className="port-name" title={t.of(input, output)}>
          {label && <span className="port-label">{label}</span>}
          {t.of(input, output)}
        </h4>
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
        <TerminalActions feed={feed} name={output} settings={settings} />
      </header>
      <TerminalTools
        settings={settings}
        onSettings={change}
        query={query}
        matches={query === '' || settings.hex ? '' : text.log.matches(at + 1, lines.length)}
        onQuery={(next) => {
          setQuery(next);
          setCurrent(undefined);
        }}
        onStep={step}
      />
      <TerminalLines
        label={t.of(input, output)}
        log={feed.log}
        hex={settings.hex}
        times={settings.times}
        query={query}
        current={query === '' ? undefined : lines[at]}
        goTo={goTo}
        follow={follow}
        onFollow={setFollow}
        placeholder={locked ? t.locked : t.typeHere}
        onKeyDown={(event) => {
          const typed = locked ? null : textOfKey(event, ending);
          if (typed === null) return;
          event.preventDefault();
          event.stopPropagation();
          send(typed);
        }}
        onPaste={(event) => {
          if (!locked) send(event.clipboardData.getData('text').replace(/\r\n?|\n/g, ending));
        }}
      />
      <TerminalInput
        feed={feed}
        history={settings.history}
        ending={settings.ending}
        onEnding={(chosen) => change({ ending: chosen })}
        locked={locked}
        onLine={(typed) => {
          send(typed + ending);
          change({ history: withLine(settings.history, typed) });
        }}
      />
      <div className="terminal-note">
        <p role="status">{damaged ? t.otherRate : lost ? t.lost : ''}</p>
        {unsent > SHOWN_UNSENT && (
          <>
            <p>{t.unsent(formatBytes(unsent))}</p>
            <Button kind="quiet" icon="stop" onClick={() => feed.stop()}>
              {t.stop}
            </Button>
          </>
        )}
      </div>
    </section>
  );
}
