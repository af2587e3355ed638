import { text } from 'node:stream/consumers';
import type { Client } from '../../contract/client/client.ts';
import {
  assign,
  assignmentsOf,
  looksLikeName,
  nameOfValue,
  placeOf,
  valueAt,
} from '../../contract/client/register-names.ts';
import { transact } from '../../contract/client/work.ts';
import type { RunRequest } from '../../contract/jobs/runs.ts';
import { FILE_FORMATS } from '../choices.ts';
import { type CommandLine, choice } from '../command-line.ts';
import { print, printJson, printNotice } from '../output.ts';
import { type ServiceOptions, withService } from '../service-client.ts';
import { readInput, writeOutput } from '../shared/files.ts';
import { byName, mapOfNode } from '../shared/register-names.ts';
import { FORMATS, hex, wordFormat } from '../shared/word-format.ts';
import { CommandError, EXIT, LAST_WORD, nodeOf, numberOf, UsageError } from '../usage.ts';

/** The commands for words over Wishbone. */
export function declareWords(line: CommandLine): void {
  const fileFormat = () =>
    choice('--format <FORMAT>', 'raw: little-endian bytes; hex: for $readmemh', FILE_FORMATS, 'raw');
  line
    .asking(
      'read <NODE> <ADDRESS> [COUNT]',
      'read words, one a line; ADDRESS may be a register name',
      'wishbench read 3 0x10 4 --format dec\nwishbench read 3 CTRL.EN',
      read,
    )
    .option('--fixed', 'read every word from the same address')
    .addOption(wordFormat());
  line
    .asking(
      'write <NODE> <ADDRESS> [WORD...]',
      'write words, or fields as NAME=VALUE; - is standard input',
      'wishbench write 3 0x10 1 0xDEAD_BEEF\nseq 512 | wishbench write 3 0 -\nwishbench write 3 CTRL.EN=run CTRL.MODE=2',
      write,
    )
    .option('--fixed', 'write every word to the same address')
    .option('--select <BYTES>', 'bytes of one word to write, a bit each: 0b0001 for bits 7 to 0');
  line
    .asking(
      'dump <NODE> <ADDRESS> <COUNT> [FILE]',
      'read words into a file',
      'wishbench dump 3 0 512 memory.bin\nwishbench dump 3 0 512 - --format hex | less',
      dump,
    )
    .addOption(fileFormat());
  line
    .asking(
      'load <NODE> <ADDRESS> <FILE>',
      'write the words of a file',
      'wishbench load 3 0 program.hex --format hex --verify',
      load,
    )
    .option('--verify', 'read them back and compare')
    .addOption(fileFormat());
}

interface WordOptions extends ServiceOptions {
  fixed?: boolean;
}

type ReadOptions = WordOptions & { format: keyof typeof FORMATS };

interface WriteOptions extends WordOptions {
  select?: string;
}

/** `read NODE NAME`: all words of a register, or a field with its named value. */
async function readByName(fpga_id: number, name: string, count: string | undefined, options: ReadOptions) {
  const { place, data } = await withService(options, (client) =>
    byName(async () => {
      const found = placeOf(await mapOfNode(client, fpga_id), name);
      const { address, words = 1 } = found.register;
      const wanted = found.field ? 1 : count === undefined ? words : numberOf(count, 'COUNT', LAST_WORD);
      const request = { op: 2 as const, address, count: wanted, fixed_address: options.fixed ?? false };
      return { place: found, data: await transact(client, fpga_id, request) };
    }),
  );
  const values = data.map((word) => valueAt(place, word));
  const named = nameOfValue(place, values[0] ?? 0);
  if (options.json) printJson({ ok: true, data: values, ...(named === undefined ? {} : { name: named }) });
  else
    for (const value of values)
      print(`${FORMATS[options.format](value)}${named === undefined ? '' : ` ${named}`}`);
  return EXIT.done;
}

/** `read NODE ADDRESS [COUNT]`: words, one per line; ADDRESS may be a name of the map. */
async function read(
  node: string,
  address: string,
  given: string | undefined,
  options: ReadOptions,
): Promise<number> {
  const fpga_id = nodeOf(node);
  if (looksLikeName(address)) return readByName(fpga_id, address, given, options);
  const count = given ?? '1';
  const request = {
    op: 2 as const,
    address: numberOf(address, 'ADDRESS', LAST_WORD),
    count: numberOf(count, 'COUNT', LAST_WORD),
    fixed_address: options.fixed ?? false,
  };
  const data = await withService(options, (client) => transact(client, fpga_id, request));
  if (options.json) printJson({ ok: true, data });
  else process.stdout.write(data.map((word) => `${FORMATS[options.format](word)}\n`).join(''));
  return EXIT.done;
}

/** `write NODE NAME=VALUE…`, `write NODE NAME VALUE`: writes registers and fields by name. */
async function writeByName(
  fpga_id: number,
  words: readonly string[],
  options: WriteOptions,
): Promise<number> {
  if (options.select !== undefined)
    throw new UsageError('--select needs an address; a write to a field never changes other bits.');
  const [first = '', second] = words;
  const pairs: readonly (readonly [string, string])[] =
    words.length === 2 && second !== undefined && !first.includes('=')
      ? [[first, second]]
      : words.map((word) => {
          const equals = word.indexOf('=');
          if (equals < 1) throw new UsageError(`Give NAME=VALUE, not “${word}”.`);
          return [word.slice(0, equals), word.slice(equals + 1)] as const;
        });
  await withService(options, (client) =>
    byName(async () => {
      const run = (request: RunRequest) => transact(client, fpga_id, request);
      await assign(
        assignmentsOf(await mapOfNode(client, fpga_id), pairs),
        async (address) => (await run({ op: 2, address, count: 1 }))[0] ?? 0,
        (address, word) => run({ op: 1, address, data: [word] }),
      );
    }),
  );
  if (options.json) printJson({ ok: true, data: [] });
  return EXIT.done;
}

/** `write NODE ADDRESS WORD...`: writes words; `-` reads them from standard input. ADDRESS may be a name of the map. */
async function write(node: string, address: string, given: string[], options: WriteOptions): Promise<number> {
  const fpga_id = nodeOf(node);
  if (looksLikeName(address)) return writeByName(fpga_id, [address, ...given], options);
  if (given.length === 0) throw new UsageError('WORD is missing; --help has the usage.');
  const start = numberOf(address, 'ADDRESS', LAST_WORD);
  const texts = given.length === 1 && given[0] === '-' ? (await text(process.stdin)).split(/[\s,]+/) : given;
  const request = {
    op: 1 as const,
    address: start,
    data: texts.filter((word) => word !== '').map((word) => numberOf(word, 'WORD', LAST_WORD)),
    fixed_address: options.fixed ?? false,
    ...(options.select === undefined ? {} : { select: numberOf(options.select, '--select', 15) }),
  };
  const data = await withService(options, (client) => transact(client, fpga_id, request));
  if (options.json) printJson({ ok: true, data });
  return EXIT.done;
}

type FileFormat = (typeof FILE_FORMATS)[number];

/** Maximum words per run. */
async function wordsPerRun(client: Client): Promise<number> {
  return (await client.getStatus()).limits.words_per_run;
}

/** Splits a burst by the service's limit: address and count of each part. */
function* pieces(address: number, count: number, most: number): Generator<[address: number, count: number]> {
  for (let done = 0; done < count; done += most)
    yield [address + 4 * done, Math.min(most, count - done)] as const;
}

/** Words as a file: raw is little-endian, hex is for Verilog's $readmemh. */
function encode(words: readonly number[], format: FileFormat): Uint8Array {
  if (format === 'hex') return new TextEncoder().encode(words.map((word) => `${hex(word)}\n`).join(''));
  const bytes = new Uint8Array(4 * words.length);
  const view = new DataView(bytes.buffer);
  for (const [i, word] of words.entries()) view.setUint32(4 * i, word, true);
  return bytes;
}

/** @throws CommandError for a file with a partial word */
function decode(bytes: Buffer, format: FileFormat, file: string): number[] {
  if (format === 'raw') {
    if (bytes.length % 4 !== 0)
      throw new CommandError(
        `${file} has ${bytes.length} bytes, which is not a multiple of 4. Words are 32 bits, little-endian.`,
      );
    return Array.from({ length: bytes.length / 4 }, (_, i) => bytes.readUInt32LE(4 * i));
  }
  const plain = bytes.toString('utf8').replace(/\/\/[^\n]*|\/\*[\s\S]*?\*\//g, ' ');
  return plain
    .split(/\s+/)
    .filter((word) => word !== '')
    .map((word) => {
      if (!/^[0-9a-f_]{1,12}$/i.test(word) || word.replaceAll('_', '').length > 8)
        throw new CommandError(`${file} has “${word}” in it, which is not a word of up to 8 hex digits.`);
      return Number.parseInt(word.replaceAll('_', ''), 16);
    });
}

/**
 * `dump NODE ADDRESS COUNT [FILE]`: reads any number of words into a file; on a terminal it prints lines with
 * addresses.
 */
async function dump(
  node: string,
  address: string,
  count: string,
  given: string | undefined,
  options: ServiceOptions & { format: FileFormat },
): Promise<number> {
  const fpga_id = nodeOf(node);
  const start = numberOf(address, 'ADDRESS', LAST_WORD);
  const file = given ?? '-';
  const length = numberOf(count, 'COUNT', 2 ** 30);
  const words = await withService(options, async (client) => {
    const parts: number[][] = [];
    for (const [at, size] of pieces(start, length, await wordsPerRun(client)))
      parts.push(await transact(client, fpga_id, { op: 2, address: at, count: size }));
    return parts.flat();
  });
  if (file !== '-') await writeOutput(file, encode(words, options.format), options.json);
  else if (options.json) printJson({ address: start, data: words });
  else if (process.stdout.isTTY)
    for (let i = 0; i < words.length; i += 4)
      print(
        `${hex(start + 4 * i)}: ${words
          .slice(i, i + 4)
          .map(hex)
          .join(' ')}`,
      );
  else process.stdout.write(encode(words, options.format));
  return EXIT.done;
}

/** `load NODE ADDRESS FILE`: writes the words of a file; --verify reads them back. */
async function load(
  node: string,
  address: string,
  file: string,
  options: ServiceOptions & { format: FileFormat; verify?: boolean },
): Promise<number> {
  const fpga_id = nodeOf(node);
  const start = numberOf(address, 'ADDRESS', LAST_WORD);
  if (start % 4 !== 0) throw new UsageError(`ADDRESS must be a multiple of 4, not “${address}”.`);
  const words = decode(await readInput(file), options.format, file === '-' ? 'Standard input' : file);
  await withService(options, async (client) => {
    for (const [at, size] of pieces(start, words.length, await wordsPerRun(client))) {
      const first = (at - start) / 4;
      const data = words.slice(first, first + size);
      await transact(client, fpga_id, { op: 1, address: at, data });
      if (!options.verify) continue;
      const back = await transact(client, fpga_id, { op: 2, address: at, count: size });
      const wrong = back.findIndex((word, i) => word !== data[i]);
      if (wrong >= 0)
        throw new CommandError(
          `The word at 0x${hex(at + 4 * wrong)} is 0x${hex(back[wrong] ?? 0)}, not 0x${hex(data[wrong] ?? 0)}.`,
        );
    }
  });
  if (options.json) printJson({ address: start, words: words.length });
  else printNotice(`${words.length} words written${options.verify ? ' and read back' : ''}.`);
  return EXIT.done;
}
