import type { Client } from '../../contract/client/client.ts';
import { ServiceError } from '../../contract/client/failures.ts';
import { send } from '../../contract/client/request.ts';
import type { MapFormat, RegisterMap } from '../../contract/designs/register-map.ts';
import { MAP_FORMAT_NAMES } from '../choices.ts';
import { type CommandLine, choice } from '../command-line.ts';
import { printJson, printNotice } from '../output.ts';
import { type ServiceOptions, withService } from '../service-client.ts';
import { readInput, writeOutput } from '../shared/files.ts';
import { type ShrinkingColumn, table } from '../table.ts';
import { CommandError, EXIT } from '../usage.ts';

/** The command `map`: register maps. */
export function declareMap(line: CommandLine): void {
  const format = (says: string) => choice('--as <FORMAT>', says, MAP_FORMAT_NAMES);
  const map = line
    .group('map', 'show, import and export register maps', 'wishbench map import echo-v-1a2b3c4d chip.svd')
    .usage('COMMAND [options]');
  line.asking('show <WHERE>', 'show the registers of a design or node', 'wishbench map show 3', showMap, map);
  line
    .asking(
      'propose <WHERE>',
      'show registers found in the source; --accept adds them',
      'wishbench map propose 3 --accept',
      proposeMap,
      map,
    )
    .option('--accept', 'add all of them to the map');
  line
    .asking(
      'import <WHERE> <FILE>',
      'import SVD, IP-XACT, csr.csv, csr.json, CSV or JSON',
      'wishbench map import echo-v-1a2b3c4d chip.svd',
      importMap,
      map,
    )
    .addOption(format('format of the file; by default from its text'));
  line
    .asking(
      'export <WHERE>',
      'write the map to a file',
      'wishbench map export 3 --as svd -o echo.svd',
      exportMap,
      map,
    )
    .addOption(format('format of the file').default('json'))
    .option('-o, --output <FILE>', 'output file', '-');
  line.asking(
    'remove <WHERE>',
    'delete the map of a design',
    'wishbench map remove echo-v-1a2b3c4d',
    removeMap,
    map,
  );
}

/** The design of an id, or of a node. @throws CommandError */
async function designOf(client: Client, where: string): Promise<string> {
  if (!/^\d$/.test(where)) return where;
  const { design } = await client.getNodeDetails({ fpga_id: Number(where) });
  if (!design?.design_id) throw new CommandError(`No design runs on node ${where}.`);
  return design.design_id;
}

const hex = (address: number): string => `0x${address.toString(16).toUpperCase().padStart(4, '0')}`;

/** A line per register, followed by its fields. */
const lines = ({ registers }: RegisterMap): string[][] =>
  registers.flatMap(({ name, address, words, access, description = '', fields, source, proposed }) => [
    [
      hex(address),
      words ? `${name}[${words}]` : name,
      access,
      proposed ? `proposed${source ? ` (${source.file}:${source.line})` : ''}` : '',
      description,
    ],
    ...fields.map(({ name: field, msb, lsb, access: own = '', description: about = '', values = {} }) => [
      '',
      `  ${msb === lsb ? msb : `${msb}:${lsb}`} ${field}`,
      own,
      Object.entries(values)
        .map(([value, text]) => `${value}=${text}`)
        .join(' '),
      about,
    ]),
  ]);

const GIVING: readonly ShrinkingColumn[] = [
  { column: 3, least: 12 },
  { column: 4, least: 12 },
];

function show(map: RegisterMap, json = false): void {
  if (json) printJson(map);
  else process.stdout.write(table(lines(map), GIVING));
}

/** `map show WHERE`: prints the registers of a map. */
async function showMap(where: string, options: ServiceOptions): Promise<number> {
  const map = await withService(options, async (client) =>
    client.getDesignMap({ design_id: await designOf(client, where) }),
  );
  show(map, options.json);
  return EXIT.done;
}

/** `map propose WHERE`: prints the inferred map; --accept adds it to the map. */
async function proposeMap(where: string, options: ServiceOptions & { accept?: boolean }): Promise<number> {
  const proposal = await withService(options, async (client) => {
    const design_id = await designOf(client, where);
    const found = await client.proposeDesignMap({ design_id });
    if (!options.accept || found.registers.length === 0) return found;
    const stored = await client.getDesignMap({ design_id }).catch((error: unknown) => {
      if (error instanceof ServiceError && error.code === 'no_register_map')
        return { ...found, registers: [] };
      throw error;
    });
    const accepted = found.registers.map(({ proposed: _proposed, ...register }) => register);
    return client.putDesignMap({
      design_id,
      body: { ...stored, registers: [...stored.registers, ...accepted] },
    });
  });
  show(proposal, options.json);
  if (!options.json && proposal.registers.length === 0) printNotice('No registers found in the source.');
  return EXIT.done;
}

/** `map import WHERE FILE`: imports a map; the service reports problems of the file with their places. */
async function importMap(
  where: string,
  file: string,
  options: ServiceOptions & { as?: MapFormat },
): Promise<number> {
  const body = (await readInput(file)).toString('utf8');
  const map = await withService(options, async (client) => {
    const design_id = await designOf(client, where);
    return client.putDesignMap({ design_id, body, ...(options.as ? { format: options.as } : {}) });
  });
  if (options.json) printJson(map);
  else {
    printNotice(
      `The map has ${map.registers.length === 1 ? '1 register' : `${map.registers.length} registers`}.`,
    );
    for (const { loc, msg } of map.warnings ?? [])
      printNotice(`Not read: ${[...loc.slice(1), msg].join(': ')}`);
  }
  return EXIT.done;
}

/** `map export WHERE`: exports a map as a file. */
async function exportMap(
  where: string,
  options: ServiceOptions & { as: MapFormat; output: string },
): Promise<number> {
  await withService(options, async (client) => {
    const design_id = await designOf(client, where);
    const answer = await send(client.options, 'getDesignMap', { design_id, format: options.as }, {});
    await writeOutput(options.output, new Uint8Array(await answer.arrayBuffer()), options.json);
  });
  return EXIT.done;
}

/** `map remove WHERE`: deletes the map of a design. */
async function removeMap(where: string, options: ServiceOptions): Promise<number> {
  const design_id = await withService(options, async (client) => {
    const design = await designOf(client, where);
    await client.deleteDesignMap({ design_id: design });
    return design;
  });
  if (options.json) printJson({ design_id, removed: true });
  return EXIT.done;
}
