import type { Pin } from '../../contract/nodes/pins.ts';
import type { CommandLine } from '../command-line.ts';
import { print, printJson, printJsonLine, printNotice } from '../output.ts';
import { type ServiceOptions, withService } from '../service-client.ts';
import { pinSettings } from '../shared/pin-settings.ts';
import { type ShrinkingColumn, table } from '../table.ts';
import { EXIT, nodeOf } from '../usage.ts';

/** The command `pins`: the ports of the design outside the bus. */
export function declarePins(line: CommandLine): void {
  line
    .asking(
      'pins <NODE> [NAME=VALUE...]',
      'show the pins of the design, or set inputs',
      'wishbench pins 3\nwishbench pins 3 sw=0x12 cfg=3\nwishbench pins 3 "sw=0x8&0x8"\nwishbench pins 3 --watch',
      pins,
    )
    .option('--watch', 'print a line after each change, until Ctrl-C');
}

interface PinOptions extends ServiceOptions {
  watch?: boolean;
}

/** Hexadecimal, with the digits of the pin's width. */
const shown = (bits: Pin['value'], width: number): string =>
  width === 1
    ? `${BigInt(bits)}`
    : `0x${BigInt(bits)
        .toString(16)
        .padStart(Math.ceil(width / 4), '0')}`;

/** `rose 0x3`, `fell 0x1`; empty without an edge. */
const edgesOf = ({ rose, fell, width }: Pin): string =>
  [
    ['rose', rose],
    ['fell', fell],
  ]
    .filter((edge): edge is [string, Pin['rose']] => BigInt(edge[1] ?? 0) !== 0n)
    .map(([what, bits]) => `${what} ${shown(bits, width)}`)
    .join(' ');

/** The bits of an inout that the design drives: `driven 0x3`. */
const drivenOf = ({ driven, width }: Pin): string =>
  driven === undefined ? '' : BigInt(driven) === 0n ? 'released' : `driven ${shown(driven, width)}`;

const lines = (pins: readonly Pin[]): string[][] =>
  pins.map((pin) => [
    pin.width === 1 ? pin.name : `${pin.name}[${pin.width - 1}:0]`,
    pin.direction,
    shown(pin.value, pin.width),
    [edgesOf(pin), drivenOf(pin)].filter((text) => text !== '').join(' '),
    pin.bound ?? '',
  ]);

const GIVING: readonly ShrinkingColumn[] = [
  { column: 4, least: 8 },
  { column: 3, least: 8 },
];

/** Prints every change on a line, until Ctrl-C; the first line has all pins. */
async function watch(fpga_id: number, options: PinOptions): Promise<number> {
  return await withService(options, async (client) => {
    // A refusal ends the command; only a later loss of the connection is waited for.
    await client.listPins({ fpga_id });
    let lost = false;
    const { EventStream } = await import('../../contract/client/event-stream.ts');
    const stream = new EventStream({
      client: client.options,
      pins: fpga_id,
      onEvents(events) {
        for (const event of events) {
          if (event.type !== 'pins' || event.fpga_id !== fpga_id) continue;
          const time = new Date().toISOString();
          if (options.json) printJsonLine({ time, ...event });
          else
            print(
              `${time}  ${event.pins
                .map((pin) => `${pin.name}=${shown(pin.value, pin.width)} ${edgesOf(pin)}`.trimEnd())
                .join('  ')}`.trimEnd(),
            );
        }
      },
      onConnection(connection) {
        if (connection.kind === 'waiting' && !lost) printNotice('Connection lost; reconnecting.');
        lost = connection.kind === 'waiting';
      },
    });
    return await new Promise<number>((resolve) => {
      process.once('SIGINT', () => {
        stream.close();
        resolve(EXIT.interrupted);
      });
    });
  });
}

/**
 * `pins NODE [NAME=VALUE[&MASK]…]`: prints the pins, or sets inputs or some of their bits, all or none; with --watch
 * prints every change.
 */
async function pins(node: string, words: readonly string[], options: PinOptions): Promise<number> {
  const fpga_id = nodeOf(node);
  const settings = pinSettings(words);
  if (words.length > 0 || !options.watch) {
    const list = await withService(options, (client) =>
      words.length > 0 ? client.setPins({ fpga_id, body: { pins: settings } }) : client.listPins({ fpga_id }),
    );
    if (!options.watch) {
      if (options.json) printJson(list);
      else {
        process.stdout.write(table(lines(list.pins), GIVING));
        if (list.pins.length === 0) printNotice('The design has no ports besides its bus.');
      }
      return EXIT.done;
    }
  }
  return await watch(fpga_id, options);
}
