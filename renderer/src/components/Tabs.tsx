import { type ReactNode, useId, useRef } from 'react';
import './tabs.css';

interface Tab<Id extends string> {
  id: Id;
  label: string;
  /** A small count or mark after the label. */
  mark?: ReactNode;
}

interface Props<Id extends string> {
  label: string;
  tabs: readonly Tab<Id>[];
  active: Id;
  onSelect(id: Id): void;
  /** Content next to the tabs, or below them in a narrow window. It never moves them. */
  aside?: ReactNode;
  children: ReactNode;
}

/** Tabs by the ARIA practices: arrow keys move, the panel follows. */
export function Tabs<Id extends string>({ label, tabs, active, onSelect, aside, children }: Props<Id>) {
  const base = useId();
  const list = useRef<HTMLDivElement>(null);
  const move = (step: number | 'first' | 'last') => {
    const at = tabs.findIndex(({ id }) => id === active);
    const to =
      step === 'first' ? 0 : step === 'last' ? tabs.length - 1 : (at + step + tabs.length) % tabs.length;
    const tab = tabs[to];
    if (!tab) return;
    onSelect(tab.id);
    list.current?.querySelectorAll<HTMLElement>('[role="tab"]')[to]?.focus();
  };
  return (
    <div className="tabs">
      <div className="tabs-bar">
        <div
          ref={list}
          role="tablist"
          aria-label={label}
          className="tabs-list"
          onKeyDown={(event) => {
            if (event.key === 'ArrowRight') move(1);
            else if (event.key === 'ArrowLeft') move(-1);
            else if (event.key === 'Home') move('first');
            else if (event.key === 'End') move('last');
            else return;
            event.preventDefault();
          }}
        >
          {tabs.map(({ id, label: name, mark }) => (
            <button
              key={id}
              type="button"
              role="tab"
              id={`${base}-${id}`}
              aria-selected={id === active}
              aria-controls={`${base}-panel`}
              tabIndex={id === active ? 0 : -1}
              className="tab"
              onClick={() => onSelect(id)}
            >
              {name}
              {mark !== undefined && <span className="tab-mark">{mark}</span>}
            </button>
          ))}
        </div>
        {aside}
      </div>
      <div role="tabpanel" id={`${base}-panel`} aria-labelledby={`${base}-${active}`} className="tabs-panel">
        {/* A heading of level 2 for the headings inside the panel. */}
        <h2 className="sr-only">{tabs.find(({ id }) => id === active)?.label}</h2>
        {children}
      </div>
    </div>
  );
}
