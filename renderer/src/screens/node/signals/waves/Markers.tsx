import { useState } from 'react';
import type { CaptureView } from '../../../../../../server/contract/signals/signals.ts';
import type { WaveMarker } from '../../../../../../server/contract/signals/waves.ts';
import { Button, IconButton } from '../../../../components/Button.tsx';
import { Dialog } from '../../../../components/Dialog.tsx';
import { text } from '../../../../text/text.ts';
import { sampleOfClocks, timeText } from '../recording/time-text.ts';

const t = text.signals;

const MAX_MARKERS = 64;

/** The markers with another one, under the first free name M1, M2 …; the same where one is there already. */
export function withMarker(markers: readonly WaveMarker[], clocks: number): WaveMarker[] {
  if (markers.length >= MAX_MARKERS || markers.some((one) => one.clocks === clocks)) return [...markers];
  const names = new Set(markers.map(({ name }) => name));
  let number = 1;
  while (names.has(`M${number}`)) number += 1;
  return [...markers, { name: `M${number}`, clocks }].sort((a, b) => a.clocks - b.clocks);
}

interface Props {
  view: CaptureView;
  markers: readonly WaveMarker[];
  onChange(markers: WaveMarker[]): void;
  /** Adds one at cursor A, or in the middle of the view. */
  onAdd(): void;
  onGo(sample: number): void;
}

function MarkerList({ view, markers, onChange, onAdd, onGo, onClose }: Props & { onClose(): void }) {
  return (
    <Dialog
      title={t.markers}
      onClose={onClose}
      actions={
        <>
          <Button icon="plus" onClick={onAdd}>
            {t.addMarker}
          </Button>
          <Button kind="primary" onClick={onClose}>
            {text.close}
          </Button>
        </>
      }
    >
      {markers.length === 0 ? (
        <p>{t.noMarkers}</p>
      ) : (
        <ul className="marker-list">
          {markers.map((marker, index) => (
            <li key={marker.clocks}>
              <input
                className="input"
                aria-label={t.markerName(index + 1)}
                maxLength={24}
                value={marker.name}
                onChange={(event) =>
                  onChange(markers.with(index, { ...marker, name: event.target.value || `M${index + 1}` }))
                }
              />
              <span className="num">{timeText(marker.clocks, view.clock_hz)}</span>
              <Button
                onClick={() => {
                  onGo(Math.round(sampleOfClocks(view, marker.clocks)));
                  onClose();
                }}
              >
                {t.goTo}
              </Button>
              <IconButton
                icon="trash"
                label={t.removeMarker(marker.name)}
                onClick={() => onChange(markers.toSpliced(index, 1))}
              />
            </li>
          ))}
        </ul>
      )}
    </Dialog>
  );
}

/** The named times of the view: a button with their list. */
export function Markers(props: Props) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button kind="quiet" icon="pin" onClick={() => setOpen(true)}>
        {t.markerCount(props.markers.length)}
      </Button>
      {open && <MarkerList {...props} onClose={() => setOpen(false)} />}
    </>
  );
}
