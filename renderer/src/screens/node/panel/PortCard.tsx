// The card of a port.
import type { PortLook } from '../../../../../server/contract/designs/panel.ts';
import { IconButton } from '../../../components/Button.tsx';
import { formatBits } from '../../../format/words.ts';
import { usePreference } from '../../../state/client/context.tsx';
import { bitsOf } from '../../../state/pins/pins.ts';
import { text } from '../../../text/text.ts';
import { type InputProps, Lamps, PushButtons, Switches } from './Bits.tsx';
import { PinPlot } from './PinPlot.tsx';
import { MAX_SEPARATE_BITS, possibleWidgets } from './port-widgets.ts';
import { Bar, Digits, NumberField, Shown, Slider } from './Values.tsx';

const t = text.panel;

function Face({ look, ...props }: InputProps & { look: PortLook }) {
  const { pin } = props;
  switch (look) {
    case 'lamps':
      return <Lamps pin={pin} />;
    case 'switches':
      return <Switches {...props} />;
    case 'buttons':
      return <PushButtons {...props} />;
    case 'digits':
      return <Digits pin={pin} />;
    case 'slider':
      return <Slider {...props} />;
    case 'hex':
      return pin.direction === 'input' ? <NumberField {...props} /> : <Shown pin={pin} />;
    case 'bar':
      return <Bar pin={pin} />;
    case 'hidden':
      return null;
  }
}

/** An inout: its level, who drives it, and the value where the design does not. */
function BothWays({ look, pin, ...props }: InputProps & { look: PortLook }) {
  const { name, width, driven = 0, released = 0 } = pin;
  const format = usePreference('numberFormat');
  const bits = bitsOf(driven);
  const all = (1n << BigInt(width)) - 1n;
  return (
    <div className="both-ways">
      {width <= MAX_SEPARATE_BITS ? <Lamps pin={pin} /> : <Shown pin={pin} />}
      <p className="pin-driver" data-driven={bits !== 0n}>
        {bits === 0n ? t.released : bits === all ? t.driven : t.drivenBits(formatBits(bits, width, format))}
      </p>
      <Face
        look={look}
        pin={{ ...pin, name: t.whenReleased(name), direction: 'input', value: released }}
        {...props}
      />
    </div>
  );
}

/** A port with its name, its value and a choice of looks. */
export function PortCard({
  node,
  look,
  label,
  plotted,
  pinned,
  onLook,
  onPlot,
  onPin,
  ...props
}: InputProps & {
  node: number;
  look: PortLook;
  /** What a person calls it. */
  label: string | undefined;
  /** It has a plot; it is on the node's card. */
  plotted: boolean;
  pinned: boolean;
  onLook(look: PortLook): void;
  onPlot(): void;
  onPin(): void;
}) {
  const { pin } = props;
  const format = usePreference('numberFormat');
  return (
    <section className="port" aria-label={label ? `${label}, ${pin.name}` : pin.name} data-look={look}>
      <header className="port-head">
        <h4 className="port-name" title={label ? `${label}, ${pin.name}` : pin.name}>
          {label && <span className="port-label">{label}</span>}
          {pin.name}
          <span className="port-range">{t.range(pin.width)}</span>
          {pin.bound !== null && (
            <span className="port-bound" title={t.boundHint(pin.bound)}>
              {t.bound(pin.bound)}
            </span>
          )}
        </h4>
        {look !== 'hex' && pin.width > 1 && (
          <span className="port-value">{formatBits(bitsOf(pin.value), pin.width, format)}</span>
        )}
        <IconButton icon="plot" aria-pressed={plotted} label={t.plot(pin.name)} onClick={onPlot} />
        <IconButton icon="pin" aria-pressed={pinned} label={t.pin(pin.name)} onClick={onPin} />
        <select
          className="port-look"
          aria-label={t.drawnAs(pin.name)}
          value={look}
          onChange={(event) => {
            const chosen = possibleWidgets(pin).find((one) => one === event.target.value);
            if (chosen) onLook(chosen);
          }}
        >
          {possibleWidgets(pin).map((one) => (
            <option key={one} value={one}>
              {t.looks[one]}
            </option>
          ))}
        </select>
      </header>
      <div className="port-face">
        {pin.direction === 'inout' ? <BothWays look={look} {...props} /> : <Face look={look} {...props} />}
      </div>
      {plotted && <PinPlot node={node} pin={pin} />}
    </section>
  );
}
