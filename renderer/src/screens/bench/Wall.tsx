import { useEffect } from 'react';
import { useShortcuts } from '../../components/shortcuts.ts';
import { useNow } from '../../components/Time.tsx';
import { formatClock } from '../../format/time.ts';
import { useBenchStore, useNodes } from '../../state/client/context.tsx';
import { navigate } from '../../state/page/router.ts';
import { text } from '../../text/text.ts';
import './bench.css';
import './wall.css';
import { Counts, Placeholder } from './Bench.tsx';
import { NodeCard } from './NodeCard.tsx';

const t = text.bench;

/** The rack full screen, for a screen in the lab: it never scrolls. */
export default function Wall() {
  const nodes = useNodes();
  const now = useNow(1000);
  const status = useBenchStore(
    ({ status: store }) => store,
    (state) => state.status,
  );
  const leave = () => navigate({ kind: 'bench' });
  useShortcuts([
    { keys: 'f', label: t.leaveWall, group: text.shell.shortcutGroups.general, run: leave },
    { keys: 'Escape', label: t.leaveWall, group: text.shell.shortcutGroups.general, run: leave },
  ]);
  useEffect(() => {
    // A browser may refuse full screen, for example after opening the address; the rack then fills the window.
    void document.documentElement.requestFullscreen?.().catch(() => {});
    return () => {
      if (document.fullscreenElement) void document.exitFullscreen().catch(() => {});
    };
  }, []);
  return (
    <section className="wall" aria-label={t.wall}>
      <header className="wall-head">
        <h1>{text.product}</h1>
        {nodes && <Counts nodes={nodes} />}
        {status && <span className="mono">{status.address.replace(/^https?:\/\//, '')}</span>}
        <time className="mono">{formatClock(now).slice(0, 5)}</time>
      </header>
      {nodes === undefined ? (
        <Placeholder />
      ) : (
        <ol className="rack" aria-label={t.nodes}>
          {nodes.map((node) => (
            <NodeCard key={node.fpga_id} node={node} selected={false} />
          ))}
        </ol>
      )}
    </section>
  );
}
