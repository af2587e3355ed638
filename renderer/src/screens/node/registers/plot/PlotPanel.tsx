import { lazy, Suspense, useState } from 'react';
import { useStore } from 'zustand';
import { Button, IconButton } from '../../../../components/Button.tsx';
import { saveFile } from '../../../../components/clipboard.ts';
import { EmptyState, Loading } from '../../../../components/Empty.tsx';
import { formatWord, hexAddress } from '../../../../format/words.ts';
import { usePreference } from '../../../../state/context.tsx';
import { clearSeries, knownValues, samplesVersion, seriesOf } from '../../../../state/samples.ts';
import { text } from '../../../../text/text.ts';
import type { RegisterMap } from '../map/register-map.ts';
import { NOT_POLLING, polling } from '../watch/polling.ts';
import { samplesToCsv } from './samples-file.ts';
import './plot.css';

const Plot = lazy(() => import('./Plot.tsx'));

const t = text.registers.plotting;
/** Seconds in sight; 0 for everything. */
const WINDOWS = ['10', '60', '300', '0'] as const;
type Window = (typeof WINDOWS)[number];
/** Colours of curves in the tokens; each also has its own dashes. */
const CURVES = 6;

/** The registers marked for it over time. The plot itself is loaded when there is something to draw. */
export function PlotPanel({ node, map }: { node: number; map: RegisterMap | undefined }) {
  const { plotted } = useStore(polling, (all) => all[node] ?? NOT_POLLING);
  useStore(samplesVersion, (versions) => versions[node]);
  const format = usePreference('numberFormat');
  const [span, setSpan] = useState<Window>('60');
  const [held, setHeld] = useState(false);
  const [separate, setSeparate] = useState(false);
  const curves = [...plotted].map((address) => ({
    address,
    name: map?.registers.find((one) => one.address === address)?.name ?? hexAddress(address),
  }));
  if (curves.length === 0)
    return (
      <section className="registers-side" aria-label={text.registers.viewNames.plot}>
        <EmptyState icon="plot" title={t.none}>
          {t.noneText}
        </EmptyState>
      </section>
    );
  return (
    <section className="registers-side" aria-label={text.registers.viewNames.plot}>
      <header className="registers-head">
        <label className="row">
          <span className="muted">{t.window}</span>
          <select
            className="input plot-window"
            value={span}
            onChange={(event) => setSpan(event.target.value as Window)}
          >
            {WINDOWS.map((id) => (
              <option key={id} value={id}>
                {t.windows[id]}
              </option>
            ))}
          </select>
        </label>
        <Button kind="quiet" icon={held ? 'play' : 'pause'} onClick={() => setHeld(!held)}>
          {held ? t.follow : t.hold}
        </Button>
        <label className="check" title={t.separateHint}>
          <input type="checkbox" checked={separate} onChange={(event) => setSeparate(event.target.checked)} />
          {t.separate}
        </label>
        <IconButton
          icon="download"
          className="push"
          label={t.exportSamples}
          onClick={() =>
            void saveFile(
              `node-${node}-samples.csv`,
              samplesToCsv(curves.map(({ address, name }) => ({ name, series: seriesOf(node, address) }))),
              'text/csv',
            )
          }
        />
        <Button kind="quiet" onClick={() => clearSeries(node)}>
          {t.clear}
        </Button>
      </header>
      <Suspense fallback={<Loading />}>
        <Plot
          node={node}
          curves={curves}
          seconds={Number(span)}
          held={held}
          separate={separate}
          format={format}
        />
      </Suspense>
      <ul className="plot-legend">
        {curves.map(({ address, name }, index) => {
          const known = knownValues(node).get(address);
          return (
            <li key={address}>
              <svg width="28" height="8" aria-hidden="true" className={`plot-key plot-key-${index % CURVES}`}>
                <line x1="0" y1="4" x2="28" y2="4" />
              </svg>
              <span className="mono">{name}</span>
              <span className="num muted">
                <span className="sr-only">{t.latest} </span>
                {known ? formatWord(known.value, format) : '–'}
              </span>
            </li>
          );
        })}
      </ul>
    </section>
  );
}
