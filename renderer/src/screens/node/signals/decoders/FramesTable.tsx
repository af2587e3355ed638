// biome-ignore-all lint/a11y/useSemanticElements: rows out of sight are not drawn, which a <table> cannot say
// biome-ignore-all lint/a11y/useFocusableInteractive: the button in each row is the stop

import { useMemo, useState } from 'react';
import type { CaptureView } from '../../../../../../server/contract/signals/signals.ts';
import { Button, IconButton } from '../../../../components/Button.tsx';
import { saveFile } from '../../../../components/clipboard.ts';
import { SearchField } from '../../../../components/SearchField.tsx';
import { useRows } from '../../../../components/use-rows.ts';
import { text } from '../../../../text/text.ts';
import { clocksAt } from '../recording/samples.ts';
import { timeText } from '../recording/time-text.ts';
import type { Frame } from './frames.ts';
import { framesCsv, matching, problemText, type TableRow } from './frames-csv.ts';
import './decoders.css';

const t = text.decoders;
const ROW = 26;

interface Props {
  view: CaptureView;
  rows: readonly TableRow[];
  /** File name of the CSV, without its ending. */
  name: string;
  onGo(frame: Frame): void;
  onClose(): void;
}

/** The decoded frames of all rows in the order of time, with search. A click shows one in the waveforms. */
export function FramesTable({ view, rows, name, onGo, onClose }: Props) {
  const [wanted, setWanted] = useState('');
  const shown = useMemo(() => matching(rows, wanted), [rows, wanted]);
  const lines = useRows({ count: shown.length, row: ROW, beyond: 12 });
  return (
    <section className="frames" aria-label={t.table}>
      <div className="frames-tools">
        <SearchField
          className="frames-search"
          label={t.search}
          placeholder={t.searchPlaceholder}
          value={wanted}
          onChange={setWanted}
        />
        <span className="muted" role="status">
          {t.count(shown.length)}
        </span>
        <span className="push" />
        <Button
          kind="quiet"
          icon="download"
          disabled={shown.length === 0}
          onClick={() => void saveFile(`${name}.csv`, framesCsv(view, shown), 'text/csv')}
        >
          {t.save}
        </Button>
        <IconButton icon="close" label={text.close} onClick={onClose} />
      </div>
      <div className="frames-table" role="table" aria-label={t.table} aria-rowcount={shown.length + 1}>
        <div className="frames-row frames-head" role="row" aria-rowindex={1}>
          {[t.time, t.row, t.content, t.problem].map((title) => (
            <span key={title} role="columnheader">
              {title}
            </span>
          ))}
        </div>
        <div ref={lines.ref} className="frames-scroll" role="rowgroup">
          {shown.length === 0 && (
            <p className="muted frames-none">
              {wanted.trim() === '' ? t.noneDecoded : t.noneFound(wanted.trim())}
            </p>
          )}
          <div className="frames-rows" style={lines.style}>
            {lines.drawn.map((index) => {
              const row = shown[index];
              if (!row) return null;
              const { frame, title } = row;
              return (
                <div
                  key={index}
                  className="frames-row"
                  role="row"
                  aria-rowindex={index + 2}
                  data-failed={frame.error !== undefined}
                >
                  <span role="cell">
                    <button type="button" className="frames-go num" onClick={() => onGo(frame)}>
                      {timeText(clocksAt(view, frame.from), view.clock_hz)}
                    </button>
                  </span>
                  <span role="cell" className="truncate">
                    {title}
                  </span>
                  <span role="cell" className="mono truncate">
                    {frame.text}
                  </span>
                  <span role="cell" className="text-bad truncate">
                    {problemText(frame)}
                  </span>
                </div>
              );
            })}
          </div>
        </div>
      </div>
    </section>
  );
}
