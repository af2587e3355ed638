import { withoutComments } from './verilog/outline-lexer.ts';

/** A source with the names that it declares and uses. */
export interface OrderedUnit {
  path: string;
  /** Names that it declares. */
  declares: ReadonlySet<string>;
  /** Names that it uses, its own or those of others. */
  uses: ReadonlySet<string>;
}

/** Orders paths by dependency; independent sources and cycles stay in their order. */
export function inDependencyOrder(units: readonly OrderedUnit[]): string[] {
  const declaring = new Map<string, OrderedUnit>();
  for (const unit of units)
    for (const name of unit.declares) if (!declaring.has(name)) declaring.set(name, unit);
  const order: string[] = [];
  const seen = new Set<OrderedUnit>();
  const visit = (unit: OrderedUnit) => {
    if (seen.has(unit)) return;
    seen.add(unit);
    for (const name of unit.uses) {
      const other = declaring.get(name);
      if (other) visit(other);
    }
    order.push(unit.path);
  };
  for (const unit of units) visit(unit);
  return order;
}

const namesIn = (text: string, pattern: RegExp): Set<string> =>
  new Set([...text.matchAll(pattern)].flatMap(([, name]) => (name === undefined ? [] : [name])));

/** Packages that a SystemVerilog source declares and uses. */
export function verilogUnit(path: string, text: string): OrderedUnit {
  const bare = withoutComments(text);
  return {
    path,
    declares: namesIn(bare, /\bpackage\s+(?:automatic\s+|static\s+)?(\w+)/g),
    uses: namesIn(bare, /\b(\w+)::/g),
  };
}

/** Design units that a VHDL source declares and uses, in lower case. A body or an architecture uses its unit. */
export function vhdlUnit(path: string, text: string): OrderedUnit {
  const bare = text.replace(/--[^\n]*/g, '').toLowerCase();
  return {
    path,
    declares: namesIn(bare, /\b(?:entity|package|context)\s+(?!body\b)(\w+)\s+is\b/g),
    uses: new Set([
      ...namesIn(bare, /\bwork\s*\.\s*(\w+)/g),
      ...namesIn(bare, /\bpackage\s+body\s+(\w+)/g),
      ...namesIn(bare, /\barchitecture\s+\w+\s+of\s+(\w+)/g),
    ]),
  };
}
