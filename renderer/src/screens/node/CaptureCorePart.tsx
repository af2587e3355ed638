import type { CaptureCore } from '../../../../server/contract/designs/uploads.ts';
import { formatCount } from '../../format/size.ts';
import { text } from '../../text/text.ts';

const t = text.node.report;

/** The capture core of a build: its capacity and its utilisation. */
export function CaptureCorePart({ core }: { core: CaptureCore }) {
  const { bits, depth, luts, flip_flops: registers, block_rams: blocks, probes } = core;
  return (
    <section className="report-part">
      <h3>{t.captureCore}</h3>
      <p>{t.coreHolds(bits, formatCount(depth))}</p>
      <p>{t.coreTakes(luts, registers, blocks)}</p>
      <p className="mono">{probes.map(({ name }) => name).join(', ')}</p>
    </section>
  );
}
