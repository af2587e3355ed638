import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { proposeMap } from '../../../../server/registermap/propose/propose.ts';
import { loadExamples } from '../../../../server/toolchain/examples.ts';
import { matchedAs, proposed, shown } from '../../../support/registermap/proposals.ts';

const FOLDER = path.resolve('resources/examples');
const source = (file: string) => readFileSync(path.join(FOLDER, file), 'utf8');

/** The address port and the data ports of each example, as the scan finds them, and the registers in its source. */
const EXAMPLES: [file: string, matched: ReturnType<typeof matchedAs>, map: string[]][] = [
  ['echo.v', matchedAs('echo', { width: 9, adr: 'wb_adr', dat_w: 'wb_dat_w', dat_r: 'wb_dat_r' }), []],
  [
    'gpio.v',
    matchedAs('gpio', {
      width: 8,
      addressing: 'byte',
      adr: 'wb_adr_i',
      dat_w: 'wb_dat_i',
      dat_r: 'wb_dat_o',
    }),
    [
      '0x00 IN ro @3',
      '0x04 OUT rw @4',
      '0x08 OE rw @5',
      '0x0c SET wo @6',
      '0x10 CLR wo @7',
      '0x14 RISE rw @8',
    ],
  ],
  [
    'timer.v',
    matchedAs('timer', { width: 2, adr: 'i_wb_addr', dat_w: 'i_wb_data', dat_r: 'o_wb_data' }),
    ['0x00 COUNT rw @4', '0x04 RELOAD rw @5', '0x08 ENDED rw @6', '0x0c UPTIME ro @7'],
  ],
  [
    'uart.v',
    matchedAs('uart', { width: 2, adr: 'adr_i', dat_w: 'dat_i', dat_r: 'dat_o', dataWidth: 8 }),
    [
      '0x00 DATA rw @4',
      '0x04 STATUS rw 2=bad_stop_bit 1=sending 0=received @5',
      '0x08 DIVISOR rw @6',
      '0x0c CONTROL rw 0=loop_back @7',
    ],
  ],
  [
    'crc32.sv',
    matchedAs('crc32', { width: 32, addressing: 'byte', adr: 'wbAdrI', dat_w: 'wbDatI', dat_r: 'wbDatO' }),
    ['0x00 DATA rw @4', '0x04 CRC ro @5', '0x08 WORDS ro @6', '0x0c START wo @7'],
  ],
  [
    'divider.v',
    matchedAs('divider', { width: 2, adr: 'i_wb_addr', dat_w: 'i_wb_data', dat_r: 'o_wb_data' }),
    ['0x00 DIVIDEND rw @4', '0x04 DIVISOR rw @5', '0x08 QUOTIENT ro @6', '0x0c REMAINDER ro @7'],
  ],
  [
    'fifo.v',
    matchedAs('fifo', { width: 4, adr: 'io_wbs_ADR', dat_w: 'io_wbs_DAT_MOSI', dat_r: 'io_wbs_DAT_MISO' }),
    ['0x00 DATA rw @4', '0x04 LEVEL ro @5', '0x08 LOST rw @6'],
  ],
  [
    'guarded.v',
    matchedAs('guarded', {
      width: 32,
      addressing: 'byte',
      adr: 'wb_adr_i',
      dat_w: 'wb_dat_i',
      dat_r: 'wb_dat_o',
    }),
    ['0x18 LOCK rw @7'],
  ],
  [
    'pwm.v',
    matchedAs('pwm', {
      width: 3,
      offset: 1,
      adr: 'wb_adr_in',
      dat_w: 'wb_dat_in',
      dat_r: 'wb_dat_out',
      dataWidth: 16,
    }),
    ['0x00 PERIOD rw @4', '0x04 DUTY0 rw @5', '0x08 DUTY1 rw @6', '0x0c HIGH0 ro @7', '0x10 HIGH1 ro @8'],
  ],
  [
    'random.v',
    matchedAs('random', { width: 3, adr: 'addr_i', dat_w: 'data_i', dat_r: 'data_o' }),
    ['0x00 NEXT rw @4', '0x04 TAKEN ro @5'],
  ],
  [
    'user_project.v',
    matchedAs('user_project', {
      width: 32,
      addressing: 'byte',
      adr: 'wbs_adr_i',
      dat_w: 'wbs_dat_i',
      dat_r: 'wbs_dat_o',
    }),
    ['0x21000000 SCRATCH rw @4', '0x21000004 COUNT rw @5', '0x21000008 ENABLE rw @6', '0x2100000c LA ro @7'],
  ],
  [
    'stopwatch.vhd',
    matchedAs('stopwatch', {
      width: 2,
      offset: 2,
      addressing: 'byte',
      adr: 'wb_adr_i',
      dat_w: 'wb_dat_i',
      dat_r: 'wb_dat_o',
    }),
    ['0x00 CONTROL rw 0=runs @3', '0x04 TIME ro @4', '0x08 LAPS ro @5', '0x0c PRESET rw @6'],
  ],
  [
    'accumulator.py',
    matchedAs('top', { width: 2 }),
    ['0x00 A rw @3', '0x04 B rw @4', '0x08 SUM rw @5', '0x0c COUNT ro @6'],
  ],
];

test.each(EXAMPLES)('%s', (file, matched, map) => {
  expect(proposed(source(file), matched, file)).toEqual(map);
});

test('a project: a header defines the registers', () => {
  const files = ['tone.v', 'include/registers.vh', 'rtl/oscillator.v', 'rtl/wave_table.v'].map((file) => ({
    path: file,
    text: source(`tone/${file}`),
    language: 'verilog' as const,
  }));
  const matched = matchedAs('tone', { width: 2, adr: 'wb_adr', dat_w: 'wb_dat_w', dat_r: 'wb_dat_r' });
  const map = ['0x00 STEP rw @4', '0x04 PHASE rw @5', '0x08 SAMPLE ro @6', '0x0c PEAK rw @7'];
  expect(shown(proposeMap(files, matched, 'tone'))).toEqual(map);
  // Without comments, the constants of the header name what the decoder shows.
  const without = files.map((one) => ({ ...one, text: one.text.replaceAll(/^\/\/ .*$/gm, '') }));
  const lines = (without[0]?.text ?? '').split('\n');
  const registers = ['STEP', 'PHASE', 'SAMPLE', 'PEAK'].map((name, value) => {
    const line = 1 + lines.findIndex((text) => text.includes(`\`REG_${name}:`) || text.includes(`${name}:`));
    return {
      address: 4 * value,
      access: 'rw' as const,
      fields: [],
      compared: [{ value, file: 'tone.v', line }],
    };
  });
  expect(
    shown(proposeMap(without, { ...matched, registers }, 'tone')).map((line) => line.replace(/ rw.*/, '')),
  ).toEqual(['0x00 STEP', '0x04 PHASE', '0x08 SAMPLE', '0x0c PEAK']);
});

test('inferred registers of the examples match the examples’ own maps', () => {
  const maps = new Map(loadExamples(FOLDER).map(({ file, map }) => [file, map.registers]));
  for (const [file, , lines] of EXAMPLES)
    for (const line of lines) {
      const [address, name] = line.split(' ');
      const known = maps.get(file)?.find((one) => one.address === Number(address));
      expect([file, known?.name]).toEqual([file, name]);
    }
});
