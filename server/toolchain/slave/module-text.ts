import { portOf } from './memory-reads.ts';
import type { Cell } from './netlist.ts';

/** Concatenation in RTLIL, the most significant bit first. */
export const joined = (bits: readonly string[]) => `{ ${[...bits].reverse().join(' ')} }`;
const idOf = (name: string) => (name.startsWith('$') ? name : `\\${name}`);
const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** Parameters or connections of a cell in RTLIL, by name. */
export const linesOf = (cell: string, kind: 'parameter' | 'connect'): Record<string, string> =>
  Object.fromEntries(
    [...cell.matchAll(new RegExp(`^ {4}${kind} \\\\(\\w+) (.*)$`, 'gm'))].map(([, name = '', value = '']) => [
      name,
      value,
    ]),
  );

const withLines = (
  cell: string,
  kind: 'parameter' | 'connect',
  lines: Readonly<Record<string, string>>,
): string =>
  cell.replace(new RegExp(`^( {4}${kind} \\\\(\\w+) ).*$`, 'gm'), (line, start: string, name: string) =>
    name in lines ? `${start}${lines[name]}` : line,
  );
/** A cell in RTLIL with other connections. */
export const withConnections = (cell: string, connections: Readonly<Record<string, string>>): string =>
  withLines(cell, 'connect', connections);
/** A cell in RTLIL with other parameters. */
export const withParameters = (cell: string, parameters: Readonly<Record<string, string>>): string =>
  withLines(cell, 'parameter', parameters);

/** RTLIL of a module that is rewritten. */
export class ModuleText {
  #text: string;
  #wires = '';
  #cells = '';
  #count = 0;
  readonly #copies = new Map<string, string>();

  constructor(text: string) {
    this.#text = text;
  }

  get text(): string {
    return this.#text
      .replace(/^module .*\n/m, (line) => line + this.#wires)
      .replace(/^end\n$/m, () => `${this.#cells}end\n`);
  }

  /** The text of a cell, without its attributes. */
  cell({ name }: Cell): string {
    const cell = new RegExp(`^ {2}cell \\S+ ${escaped(idOf(name))}\\n(?: {4}.*\\n)*`, 'm');
    return cell.exec(this.#text)?.[0] ?? '';
  }

  /** Declares a wire and returns its name. */
  wire(width: number, init?: string): string {
    const name = `$registered_read$${this.#count++}`;
    this.#wires += `${init === undefined ? '' : `  attribute \\init ${init}\n`}  wire width ${width} ${name}\n`;
    return name;
  }

  /** Adds a cell. */
  add(type: string, parameters: Record<string, string | number>, connections: Record<string, string>): void {
    this.#cells += [
      `  cell ${type} $registered_read$${this.#count++}`,
      ...Object.entries(parameters).map(([name, value]) => `    parameter \\${name} ${value}`),
      ...Object.entries(connections).map(([name, value]) => `    connect \\${name} ${value}`),
      '  end\n',
    ].join('\n');
  }

  /** A wire with the value of an input. */
  copy(cell: Cell, port: string): string {
    const key = `${cell.name} ${port}`;
    const known = this.#copies.get(key);
    if (known !== undefined) return known;
    const wire = this.wire(portOf(cell, port).length);
    this.connect(wire, linesOf(this.cell(cell), 'connect')[port] ?? '');
    this.#copies.set(key, wire);
    return wire;
  }

  /** Gives a wire a value. */
  connect(wire: string, value: string): void {
    this.#cells += `  connect ${wire} ${value}\n`;
  }

  /** Puts another text in the place of a cell's. */
  replace(cell: Cell, changed: (text: string) => string): void {
    const text = this.cell(cell);
    this.#text = this.#text.replace(text, () => changed(text));
  }

  /** A signal's initial value; null when only a part has one, undefined when it has none. */
  init(signal: string): string | null | undefined {
    const names = signal.match(/[\\$]\S+/g) ?? [];
    if (!names.some((name) => initial(name).test(this.#text))) return undefined;
    return names[0] === signal ? initial(signal).exec(this.#text)?.[1] : null;
  }

  /** Removes a signal's initial value. */
  removeInit(signal: string): void {
    this.#text = this.#text.replace(initial(signal), (_, __, rest: string) => rest);
  }
}

/** The declaration of a signal with an initial value. */
const initial = (name: string) =>
  new RegExp(
    `^  attribute \\\\init (.*)\\n((?: {2}attribute .*\\n)* {2}wire (?:\\S+ )*${escaped(name)}\\n)`,
    'm',
  );

/** The text of a module in that of a design; null when it is not there. */
export const moduleIn = (design: string, name: string): string | null =>
  new RegExp(`^module ${escaped(idOf(name))}\\n[\\s\\S]*?^end\\n`, 'm').exec(design)?.[0] ?? null;
