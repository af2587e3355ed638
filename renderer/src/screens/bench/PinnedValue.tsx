import { useMemo } from 'react';
import { useStore } from 'zustand';
import type { NodeView } from '../../../../server/contract/nodes/nodes.ts';
import { formatWord, hexAddress } from '../../format/words.ts';
import { useBench, usePreference } from '../../state/client/context.tsx';
import { pinnedOf, pinnedVersion } from '../../state/registers/pinned.ts';
import { samplesVersion, seriesOf } from '../../state/samples/samples.ts';
import { text } from '../../text/text.ts';
import { PinnedPin } from './PinnedPin.tsx';
import { Sparkline } from './Sparkline.tsx';

/** Maximum values for the width. */
const MOST = 120;

/** The pinned register of a design: its value and its plot, as far as this window has read it. */
function PinnedRegister({ node, design }: { node: number; design: NonNullable<NodeView['design']> }) {
  const client = useBench();
  const format = usePreference('numberFormat');
  // Renders again with every sample of this node.
  useStore(samplesVersion, (versions) => versions[node]);
  const written = useStore(pinnedVersion, (pins) => pins.written);
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is read again when something was written
  const pinned = useMemo(() => pinnedOf(client.memory, design.module), [client, design.module, written]);
  if (!pinned) return null;
  const series = seriesOf(node, pinned.address);
  const values: number[] = [];
  for (let index = Math.max(0, series.length - MOST); index < series.length; index += 1) {
    const value = series.value(index);
    if (!Number.isNaN(value)) values.push(value);
  }
  const last = values.at(-1);
  if (last === undefined) return null;
  const name = pinned.name ?? hexAddress(pinned.address);
  const now = formatWord(last, format);
  return (
    <div className="card-pinned">
      <span className="card-pinned-value">
        <span className="muted truncate">{name}</span>
        <span className="mono">{now}</span>
      </span>
      <Sparkline values={values} label={text.bench.course(name, now)} />
    </div>
  );
}

/** The pinned register and the pinned port of a design. */
export default function PinnedValue(props: Parameters<typeof PinnedRegister>[0]) {
  return (
    <>
      <PinnedRegister {...props} />
      <PinnedPin {...props} />
    </>
  );
}
