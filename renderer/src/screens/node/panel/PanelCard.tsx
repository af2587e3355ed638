import { type CSSProperties, type ReactNode, useState } from 'react';
import type { PanelCard as Card } from '../../../../../server/contract/designs/panel.ts';
import {
  CARD_SIZES,
  type CardSize,
  PANEL_COLUMNS,
} from '../../../../../server/contract/designs/panel-cards.ts';
import { IconButton } from '../../../components/Button.tsx';
import { text } from '../../../text/text.ts';
import { useArranging } from './use-arranging.ts';

const t = text.panel;

/** Widths that are offered by name; dragging the edge has all twelfths. */
const WIDTHS = [3, 4, 6, 8, 9, PANEL_COLUMNS];

/** The label of a card; Enter or leaving the field keeps it. */
function LabelField({
  title,
  label,
  onLabel,
}: {
  title: string;
  label: string;
  onLabel(label: string): void;
}) {
  const [typed, setTyped] = useState<string>();
  const keep = () => {
    if (typed !== undefined && typed.trim() !== label) onLabel(typed.trim());
    setTyped(undefined);
  };
  return (
    <input
      className="input card-label"
      aria-label={t.labelOf(title)}
      placeholder={t.label}
      maxLength={64}
      value={typed ?? label}
      onChange={(event) => setTyped(event.target.value)}
      onBlur={keep}
      onKeyDown={(event) => {
        if (event.key === 'Enter') keep();
        if (event.key !== 'Escape') return;
        setTyped(undefined);
        event.stopPropagation();
      }}
    />
  );
}

interface Props {
  name: string;
  /** What the page calls it. */
  title: string;
  card: Card | undefined;
  /** All cards, as they are shown. */
  order: readonly string[];
  arranging: boolean;
  onCard(change: { [K in keyof Card]: Card[K] | undefined }): void;
  onOrder(order: string[]): void;
  children: ReactNode;
}

/** A port or the terminal at its place. While the panel is arranged, a bar moves, names and sizes it. */
export function PanelCard({ name, title, card = {}, order, arranging, onCard, onOrder, children }: Props) {
  const { dragged, handle, edge, width } = useArranging({ name, title, card, order, onCard, onOrder });
  const shownWidth = width ?? card.width;
  return (
    <div
      className="panel-card"
      data-card={name}
      data-size={card.size}
      data-arranging={arranging}
      data-dragged={dragged}
      data-wide={shownWidth !== undefined}
      style={shownWidth === undefined ? undefined : ({ '--columns': shownWidth } as CSSProperties)}
    >
      {arranging && (
        <div className="card-bar">
          <IconButton icon="move" className="card-handle" label={t.move(title)} {...handle} />
          <LabelField title={title} label={card.label ?? ''} onLabel={(label) => onCard({ label })} />
          <select
            className="port-look"
            aria-label={t.widthOf(title)}
            value={card.width ?? ''}
            onChange={({ target: { value } }) => onCard({ width: value === '' ? undefined : Number(value) })}
          >
            <option value="">{t.autoWidth}</option>
            {[...new Set([...WIDTHS, ...(card.width ? [card.width] : [])])]
              .sort((a, b) => a - b)
              .map((columns) => (
                <option key={columns} value={columns}>
                  {t.width(columns, PANEL_COLUMNS)}
                </option>
              ))}
          </select>
          <select
            className="port-look"
            aria-label={t.sizeOf(title)}
            value={card.size ?? 'medium'}
            onChange={({ target: { value } }) =>
              onCard({ size: value === 'medium' ? undefined : (value as CardSize) })
            }
          >
            {CARD_SIZES.map((size) => (
              <option key={size} value={size}>
                {t.sizes[size]}
              </option>
            ))}
          </select>
        </div>
      )}
      {children}
      {arranging && <div className="card-edge" title={t.dragWidth} {...edge} />}
    </div>
  );
}
