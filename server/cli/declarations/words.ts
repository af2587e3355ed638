import { FILE_FORMATS, WORD_FORMATS } from '../choices.ts';
import { type CommandLine, choice } from '../command-line.ts';

/** Words over Wishbone. */
export function declareWords(line: CommandLine): void {
  line.program.commandsGroup('Registers:');
  const load = () => import('../commands/words.ts');
  const wordFormat = () => choice('--format <FORMAT>', 'how words are printed', WORD_FORMATS, 'hex');
  const fileFormat = () =>
    choice('--format <FORMAT>', 'raw: little-endian bytes; hex: as $readmemh reads it', FILE_FORMATS, 'raw');
  line
    .asking(
      'read <NODE> <ADDRESS> [COUNT]',
      'read 32-bit words, one a line; ADDRESS may be a name of the design’s map',
      'wishbench read 3 0x10 4 --format dec\nwishbench read 3 CTRL.EN',
      async () => {
        const { read } = await load();
        return (
          node: string,
          address: string,
          count: string | undefined,
          options: Parameters<typeof read>[3],
        ) => read(node, address, count, options);
      },
    )
    .option('--fixed', 'every word comes from the same address')
    .addOption(wordFormat());
  line
    .asking(
      'write <NODE> <ADDRESS> [WORD...]',
      'write 32-bit words, - takes them from standard input; or NAME=VALUE by the design’s map',
      'wishbench write 3 0x10 1 0xDEAD_BEEF\nseq 512 | wishbench write 3 0 -\nwishbench write 3 CTRL.EN=run CTRL.MODE=2',
      async () => (await load()).write,
    )
    .option('--fixed', 'every word goes to the same address')
    .option('--select <BYTES>', 'bytes of one word that are written, a bit each: 0b0001 for bits 7 to 0');
  line
    .asking(
      'pins <NODE> [NAME=VALUE...]',
      'the ports of the design beside its bus: show them, set inputs',
      'wishbench pins 3\nwishbench pins 3 sw=0x12 cfg=3\nwishbench pins 3 "sw=0x8&0x8"\nwishbench pins 3 --watch',
      async () => (await import('../commands/pins.ts')).pins,
    )
    .option('--watch', 'a line whenever they change, until Ctrl-C');
  line
    .asking(
      'poll <NODE> <ADDRESS> [COUNT]',
      'print words whenever they change; ADDRESS may be a name of the design’s map',
      'wishbench poll 3 0x10 --until 1 --mask 1 --timeout 5\nwishbench poll 3 STATUS.STATE --until done',
      async () => {
        const { poll } = await import('../commands/poll.ts');
        return (
          node: string,
          address: string,
          count: string | undefined,
          options: Parameters<typeof poll>[3],
        ) => poll(node, address, count ?? '1', options);
      },
    )
    .option('--every <SECONDS>', 'between two reads', '0.1')
    .option('--until <VALUE>', 'end when the first word is that')
    .option('--mask <MASK>', 'bits that --until looks at', '0xFFFFFFFF')
    .option('--timeout <SECONDS>', 'fail after so long')
    .addOption(wordFormat());
  line.asking(
    'stream <NODE>',
    'transactions from standard input, a line each: r ADDRESS [COUNT] or w ADDRESS WORD...',
    "printf 'w 0x10 1 2\\nr 0x10 2\\n' | wishbench stream 3",
    async () => (await import('../commands/stream.ts')).stream,
  );
  line
    .asking(
      'dump <NODE> <ADDRESS> <COUNT> [FILE]',
      'read any number of words into a file',
      'wishbench dump 3 0 512 memory.bin\nwishbench dump 3 0 512 - --format hex | less',
      async () => {
        const { dump } = await load();
        return (
          node: string,
          address: string,
          count: string,
          file: string | undefined,
          options: Parameters<typeof dump>[4],
        ) => dump(node, address, count, file ?? '-', options);
      },
    )
    .addOption(fileFormat());
  line
    .asking(
      'load <NODE> <ADDRESS> <FILE>',
      'write the words of a file',
      'wishbench load 3 0 program.hex --format hex --verify',
      async () => (await load()).load,
    )
    .option('--verify', 'read them back and compare')
    .addOption(fileFormat());
}
