import { memo } from 'react';
import type { NodeView } from '../../../../server/contract/nodes/nodes.ts';
import { stateIcon, stateTone } from '../../components/Badge.tsx';
import { Icon } from '../../components/Icon.tsx';
import { href } from '../../state/page/routes.ts';
import { text } from '../../text/text.ts';
import { moveInRack } from './rack-keys.ts';
import './rack-strip.css';
import { useNodeDrop } from './use-node-drop.ts';
import { useNodeSubject } from './use-node-subject.ts';

/** A node of the strip: number and state; its name shows next to it. */
const StripNode = memo(function StripNode({ node, selected }: { node: NodeView; selected: boolean }) {
  const { fpga_id: id, resetting, state } = node;
  const { mine, label } = useNodeSubject(node);
  const { look, handlers } = useNodeDrop(node);
  return (
    <li
      className={`strip-node card-${resetting ? 'busy' : stateTone(state)} ${mine ? 'strip-mine' : ''} ${selected ? 'strip-selected' : ''} ${look}`}
      {...handlers}
    >
      <a
        className="strip-link"
        href={href({ kind: 'node', node: id, tab: undefined, job: undefined })}
        aria-current={selected ? 'true' : undefined}
        aria-label={label}
      >
        <span className="card-slot" aria-hidden="true">
          <span className="card-number">{id}</span>
          <Icon name={resetting ? 'building' : stateIcon(state)} size={13} />
        </span>
        <span className="strip-name">{label}</span>
      </a>
    </li>
  );
});

/** The rack as a strip of numbers next to an open node. */
export function RackStrip({ nodes, selected }: { nodes: readonly NodeView[]; selected: number }) {
  return (
    <ol className="rack-strip" aria-label={text.bench.nodes} onKeyDown={moveInRack}>
      {nodes.map((node) => (
        <StripNode key={node.fpga_id} node={node} selected={node.fpga_id === selected} />
      ))}
    </ol>
  );
}
