// The Panel tab: widgets of the ports and the terminal, as a person arranged them.
import './panel.css';
import './arrange.css';
import { useEffect, useRef, useState } from 'react';
import { useStore } from 'zustand';
import type { PortLook } from '../../../../../server/contract/designs/panel.ts';
import { TERMINAL_CARD } from '../../../../../server/contract/designs/panel-cards.ts';
import type { NodeView } from '../../../../../server/contract/nodes/nodes.ts';
import type { Pin } from '../../../../../server/contract/nodes/pins.ts';
import { Button } from '../../../components/Button.tsx';
import { EmptyState, Loading } from '../../../components/Empty.tsx';
import { Segmented } from '../../../components/Segmented.tsx';
import { NUMBER_FORMATS } from '../../../format/words.ts';
import { joinedSessions, partOf } from '../../../state/actions/holding.ts';
import { useBench, usePreference } from '../../../state/client/context.tsx';
import { href, type Look } from '../../../state/page/routes.ts';
import { useSharedView } from '../../../state/page/share.ts';
import { offerUndo } from '../../../state/page/toasts.ts';
import { toValue, usePins } from '../../../state/pins/pins.ts';
import { keepPinView, pinViewOf, pinViews } from '../../../state/samples/pin-samples.ts';
import { text } from '../../../text/text.ts';
import { HolderBar } from '../registers/HolderBar.tsx';
import { arranged, isChanged, withCard } from './arrangement.ts';
import { PanelCard } from './PanelCard.tsx';
import { PortCard } from './PortCard.tsx';
import { widgetOf } from './port-widgets.ts';
import { Terminal } from './Terminal.tsx';
import { usePanel } from './use-panel.ts';

const t = text.panel;

/** The Panel tab: the ports of the running design. */
export default function PanelTab({
  node,
  look,
}: {
  node: NodeView;
  /** What a link wants to be shown. */
  look?: Look | undefined;
}) {
  const client = useBench();
  const { fpga_id: id, state, session, resetting, design } = node;
  useStore(joinedSessions);
  const part = partOf(client, node);
  const runs = state === 'reserved' && session !== null && !resetting;
  const { pins, live, feed } = usePins(id, runs);
  const { document: panel, change } = usePanel(design?.design_id ?? null);
  const [arranging, setArranging] = useState(false);
  const hasTerminal = useStore(feed.terminal.store, ({ line }) => line !== null);
  const numberFormat = usePreference('numberFormat');
  const stage = useRef<HTMLElement>(null);
  useStore(pinViews);
  const module = design?.module ?? '';
  const running = runs ? `${session.session_id} ${design?.build_id}` : null;
  useEffect(() => {
    if (running === null) feed.terminal.restart();
    else void feed.terminal.load(running);
  }, [feed, running]);
  // A link brings its plots along.
  const linked = look?.['plot'];
  useEffect(() => {
    if (linked !== undefined) keepPinView(client.memory, module, { plotted: linked.split(',') });
  }, [client, linked, module]);
  const view = pinViewOf(client.memory, module);
  useSharedView(() => ({ look: { plot: view.plotted.join(',') } }));

  if (!runs)
    return (
      <EmptyState
        icon="panel"
        title={t.notReserved}
        action={
          <a href={href({ kind: 'node', node: id, tab: 'design', job: undefined })}>
            {text.registers.toDesign}
          </a>
        }
        text={t.notReservedText}
      />
    );
  if (pins === undefined || panel === undefined) return <Loading />;
  if (pins.length === 0) return <EmptyState icon="panel" title={t.none} text={t.noneText} />;
  const locked = part === 'viewer';
  const looks = panel.ports;
  const lookAt = (pin: Pin) => widgetOf(pin, looks[pin.name]?.look);
  const choose = (pin: Pin, look: PortLook) =>
    change({ ...panel, ports: { ...looks, [pin.name]: { look } } });
  const drawPort = (pin: Pin) => (
    <PortCard
      node={id}
      pin={pin}
      look={lookAt(pin)}
      label={panel.cards?.[pin.name]?.label}
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
  const named = new Map(shown.map((pin) => [pin.name, pin]));
  const byDirection = (direction: Pin['direction']) =>
    shown.filter((pin) => pin.direction === direction).map(({ name }) => name);
  const groups: [string, string[]][] = [
    [text.terminal.title, hasTerminal ? [TERMINAL_CARD] : []],
    [t.outputs, byDirection('output')],
    [t.inputs, byDirection('input')],
    [t.inouts, byDirection('inout')],
  ];
  const usual = groups.flatMap(([, names]) => names);
  const order = arranged(usual, panel.order);
  const draw = (name: string) => {
    const pin = named.get(name);
    return (
      <PanelCard
        key={name}
        name={name}
        title={pin ? name : text.terminal.title}
        card={panel.cards?.[name]}
        order={order}
        arranging={arranging}
        onCard={(changed) => change(withCard(panel, name, changed))}
        onOrder={(next) => change({ ...panel, order: next })}
      >
        {pin ? (
          drawPort(pin)
        ) : (
          <Terminal feed={feed.terminal} locked={locked} label={panel.cards?.[name]?.label} />
        )}
      </PanelCard>
    );
  };
  return (
    <div className="pin-panel">
      <HolderBar node={node} part={part} />
      <div className="panel-bar">
        <p className="panel-note" role="status">
          {!live ? t.lost : locked ? t.looksOn : ''}
        </p>
        <Segmented
          label={text.format.label}
          value={numberFormat}
          onChange={(format) => client.preferences.setState({ numberFormat: format })}
          options={NUMBER_FORMATS.map((format) => ({ id: format, label: text.format[format] }))}
        />
        {isChanged(panel) && (
          <Button
            kind="quiet"
            title={t.guessAgainHint}
            onClick={() => {
              change({ ports: {} });
              offerUndo(client.toasts, t.layoutReset, () => change(panel));
            }}
          >
            {t.guessAgain}
          </Button>
        )}
        <Button
          className="panel-arrange"
          icon="move"
          aria-pressed={arranging}
          title={t.arrangeHint}
          onClick={() => setArranging(!arranging)}
        >
          {t.arrange}
        </Button>
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
        {/* One list: a card that moves stays the same element, and a drag goes on. */}
        <div className="panel-ports">
          {panel.order === undefined
            ? groups.flatMap(([title, names]) =>
                names.length > 0 ? [<h3 key={`title ${title}`}>{title}</h3>, ...names.map(draw)] : [],
              )
            : order.map(draw)}
        </div>
        {hidden.length > 0 && (
          <section className="panel-part" aria-label={t.hiddenPorts}>
            <h3>{t.hiddenPorts}</h3>
            <ul className="panel-hidden">
              {hidden.map((pin) => (
                <li key={pin.name}>
                  <Button
                    kind="plain"
                    onClick={() => {
                      const { [pin.name]: _hidden, ...ports } = looks;
                      change({ ...panel, ports });
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
