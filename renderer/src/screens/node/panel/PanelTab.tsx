// The Panel tab: widgets of the ports, and the terminal.
import './panel.css';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { useStore } from 'zustand';
import { ServiceError } from '../../../../../server/contract/client/failures.ts';
import type { Panel, PortLook } from '../../../../../server/contract/designs/panel.ts';
import type { NodeView } from '../../../../../server/contract/nodes/nodes.ts';
import type { Pin } from '../../../../../server/contract/nodes/pins.ts';
import { Button } from '../../../components/Button.tsx';
import { EmptyState, Loading } from '../../../components/Empty.tsx';
import { showRefusal } from '../../../state/actions/actions.ts';
import { joinedSessions, partOf } from '../../../state/actions/holding.ts';
import { useBench } from '../../../state/client/context.tsx';
import { useQuery } from '../../../state/client/query.ts';
import { href } from '../../../state/page/routes.ts';
import { toValue, usePins } from '../../../state/pins/pins.ts';
import { keepPinView, pinViewOf, pinViews } from '../../../state/samples/pin-samples.ts';
import { text } from '../../../text/text.ts';
import { HolderBar } from '../registers/HolderBar.tsx';
import { PortCard } from './PortCard.tsx';
import { widgetOf } from './port-widgets.ts';
import { Terminal } from './Terminal.tsx';

const t = text.panel;

type Looks = Panel['ports'];
const NO_LOOKS: Looks = {};

/** The looks of a design's ports: those stored with the design, and this window's changes. */
function useLooks(designId: string | null): { looks: Looks; change(looks: Looks): void } {
  const client = useBench();
  const { data, put } = useQuery(
    designId === null ? undefined : ['panel', designId],
    async (service, signal, [, design_id]) => {
      try {
        return (await service.getDesignPanel({ design_id }, { signal })).ports;
      } catch (error) {
        if (error instanceof ServiceError && error.code === 'no_panel') return NO_LOOKS;
        throw error;
      }
    },
    { live: true },
  );
  const [own, setOwn] = useState<Looks>(NO_LOOKS);
  return {
    looks: data ?? own,
    change(looks) {
      setOwn(looks);
      if (designId === null) return;
      put(looks);
      client.service
        .putDesignPanel({ design_id: designId, body: { ports: looks } })
        .catch((error) => showRefusal(client, error));
    },
  };
}

function Ports({
  title,
  pins,
  draw,
}: {
  title: string;
  pins: readonly Pin[];
  draw: (pin: Pin) => ReactNode;
}) {
  if (pins.length === 0) return null;
  return (
    <section className="panel-part" aria-label={title}>
      <h3>{title}</h3>
      <div className="panel-ports">{pins.map(draw)}</div>
    </section>
  );
}

/** The Panel tab: the ports of the running design. */
export function PanelTab({ node }: { node: NodeView }) {
  const client = useBench();
  const { fpga_id: id, state, session, resetting, design } = node;
  useStore(joinedSessions);
  const part = partOf(client, node);
  const runs = state === 'reserved' && session !== null && !resetting;
  const { pins, live, feed } = usePins(id, runs);
  const { looks, change } = useLooks(design?.design_id ?? null);
  const stage = useRef<HTMLElement>(null);
  useStore(pinViews);
  const module = design?.module ?? '';
  const running = runs ? `${session.session_id} ${design?.build_id}` : null;
  useEffect(() => {
    if (running === null) feed.terminal.restart();
    else void feed.terminal.load(running);
  }, [feed, running]);
  const view = pinViewOf(client.memory, module);

  if (!runs)
    return (
      <EmptyState
        icon="boards"
        title={t.notReserved}
        action={
          <a href={href({ kind: 'node', node: id, tab: 'design', job: undefined })}>
            {text.registers.toDesign}
          </a>
        }
      >
        {t.notReservedText}
      </EmptyState>
    );
  if (pins === undefined) return <Loading />;
  if (pins.length === 0)
    return (
      <EmptyState icon="boards" title={t.none}>
        {t.noneText}
      </EmptyState>
    );
  const locked = part === 'viewer';
  const lookAt = (pin: Pin) => widgetOf(pin, looks[pin.name]?.look);
  const choose = (pin: Pin, look: PortLook) => change({ ...looks, [pin.name]: { look } });
  const draw = (pin: Pin) => (
    <PortCard
      key={pin.name}
      node={id}
      pin={pin}
      look={lookAt(pin)}
      plotted={view.plotted.includes(pin.name)}
      pinned={view.pinned === pin.name}
      onPlot={() =>
        keepPinView(client.memory, module, {
          plotted: view.plotted.includes(pin.name)
            ? view.plotted.filter((one) => one !== pin.name)
            : [...view.plotted, pin.name],
        })
      }
      onPin={() =>
        keepPinView(client.memory, module, { pinned: view.pinned === pin.name ? undefined : pin.name })
      }
      // An input that the board drives cannot be set.
      locked={locked || pin.bound !== null}
      onLook={(look) => choose(pin, look)}
      onSet={(bits, change, mask) => {
        const value = toValue(bits, pin.width);
        const some = mask !== undefined && pin.width > 1;
        feed.set(pin, some ? { value, mask: toValue(mask, pin.width) } : value, change);
      }}
    />
  );
  const shown = pins.filter((pin) => lookAt(pin) !== 'hidden');
  const hidden = pins.filter((pin) => lookAt(pin) === 'hidden');
  return (
    <div className="pin-panel">
      <HolderBar node={node} part={part} />
      <div className="panel-bar">
        <p className="panel-note" role="status">
          {!live ? t.lost : locked ? t.looksOn : ''}
        </p>
        {Object.keys(looks).length > 0 && (
          <Button kind="quiet" title={t.guessAgainHint} onClick={() => change({})}>
            {t.guessAgain}
          </Button>
        )}
        <Button
          kind="quiet"
          icon="wall"
          onClick={() => void stage.current?.requestFullscreen().catch(() => {})}
        >
          {t.fullScreen}
        </Button>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be reached with the keyboard */}
      <section className="panel-stage" ref={stage} tabIndex={0} aria-label={text.nodeActions.tabs.panel}>
        <Terminal feed={feed.terminal} locked={locked} />
        <Ports title={t.outputs} pins={shown.filter(({ direction }) => direction === 'output')} draw={draw} />
        <Ports title={t.inputs} pins={shown.filter(({ direction }) => direction === 'input')} draw={draw} />
        <Ports title={t.inouts} pins={shown.filter(({ direction }) => direction === 'inout')} draw={draw} />
        {hidden.length > 0 && (
          <section className="panel-part" aria-label={t.hiddenPorts}>
            <h3>{t.hiddenPorts}</h3>
            <ul className="panel-hidden">
              {hidden.map((pin) => (
                <li key={pin.name}>
                  <Button
                    kind="plain"
                    onClick={() => {
                      const { [pin.name]: _hidden, ...others } = looks;
                      change(others);
                    }}
                  >
                    {t.show(pin.name)}
                  </Button>
                </li>
              ))}
            </ul>
          </section>
        )}
      </section>
    </div>
  );
}
