import type { DesignPin } from '../../../contract/designs/uploads.ts';
import { drivenAt } from '../../slave/pins.ts';
import { splitPorts } from '../inout/split-netlist.ts';
import { boundPorts } from './bound-ports.ts';

/** An inout of the design in the wrapper: its three ports (see splitInouts), and the lines that connect them. */
interface WiredInout {
  /** Net by port of the split design. */
  connections: ReadonlyMap<string, string>;
  lines: readonly string[];
}

/**
 * Wires the inouts that are pins. The bench drives the bits that the design does not drive, or the board does for bound
 * ports. The port block samples the level of the line, and then which bits the design drives.
 */
export function wireInouts(pins: readonly DesignPin[]): WiredInout[] {
  const bound = new Map(boundPorts(pins).map(({ pin, port }) => [pin.name, port]));
  return pins
    .filter(({ direction }) => direction === 'inout')
    .map((pin, nth) => {
      const { name, width, at } = pin;
      const [line, out, enable] = [bound.get(name) ?? `inout_${nth}`, `inout_${nth}_out`, `inout_${nth}_oe`];
      const range = `[${width - 1}:0]`;
      const from = drivenAt(pin);
      const bits = Array.from({ length: width }, (_, bit) => (width === 1 ? '' : `[${bit}]`));
      const drive =
        from === null
          ? bits.map((bit) => `  assign ${line}${bit} = ${enable}${bit} ? ${out}${bit} : 1'bz;`)
          : [
              `  wire ${range} ${line} = (${out} & ${enable}) | (pins_to_design[${from + width - 1}:${from}] & ~${enable});`,
              `  assign pins_from_design[${at + width - 1}:${at}] = ${line};`,
            ];
      const ports = splitPorts(name);
      return {
        connections: new Map([
          [name, line],
          [ports.out, out],
          [ports.enable, enable],
        ]),
        lines: [
          `  wire ${range} ${out}, ${enable};`.replace('[0:0] ', ''),
          ...drive.map((text) => text.replace('wire [0:0] ', 'wire ')),
          `  assign pins_from_design[${at + 2 * width - 1}:${at + width}] = ${enable};`,
        ],
      };
    });
}
