import type { SignalInfo } from '../../../../../server/contract/signals/signals.ts';

/** The signals of one instance, sorted by name. */
export interface Scope {
  /** `fifo.reader`; empty for the top module. */
  path: string;
  signals: SignalInfo[];
}

/** The instance of a name. */
function scopeOf(name: string): string {
  const dot = name.lastIndexOf('.');
  return dot < 0 ? '' : name.slice(0, dot);
}

/** A signal's name within its instance. */
export const ownName = (name: string): string => name.slice(name.lastIndexOf('.') + 1);

/** Scope of the bench's side of the bus. */
export const BUS_SCOPE = 'bus';

/** Signals by instance: the top module first, then the bus, then the others by path. */
export function scopesOf(signals: readonly SignalInfo[]): Scope[] {
  const scopes = new Map<string, Scope>();
  for (const one of signals) {
    const path = scopeOf(one.name);
    const scope = scopes.get(path) ?? { path, signals: [] };
    scope.signals.push(one);
    scopes.set(path, scope);
  }
  const rank = ({ path }: Scope): number => (path === '' ? 0 : path === BUS_SCOPE ? 1 : 2);
  return [...scopes.values()].sort(
    (a, b) => rank(a) - rank(b) || a.path.localeCompare(b.path, 'en', { numeric: true }),
  );
}
