import type { RegisterMap } from '../contract/designs/register-map.ts';
import type { CsrMap } from '../contract/nodes/csr.ts';
import type { NodeView } from '../contract/nodes/nodes.ts';
import { csrRegisters } from '../registermap/litex.ts';

/** First byte address of the base SoC's identity block (docs/gateware.md). */
const BLOCK = 0xf000_0000;

/**
 * Registers of the identity block: name, offset in bytes. A write-only register reads 0, and LiteX has no type for it.
 */
const REGISTERS: readonly (readonly [name: string, offset: number, type: 'ro' | 'rw'])[] = [
  ['magic', 0x00, 'ro'],
  ['version', 0x04, 'ro'],
  ['clock', 0x08, 'ro'],
  ['baud', 0x0c, 'ro'],
  ['build_id_high', 0x10, 'ro'],
  ['build_id_low', 0x14, 'ro'],
  ['fifo_bytes', 0x18, 'ro'],
  ['watchdog_clocks', 0x1c, 'ro'],
];

/** Characters of the identifier, one a word: where `litex_cli --ident` looks for `identifier_mem`. */
const IDENTIFIER = 0xf800_0000;

/** Bytes of the design's address range, from 0 on. */
const DESIGN_BYTES = 0xf000_0000;

/**
 * The facts about a node for LiteX's tools: constants, the identity block, the design's memory, and its registers where
 * the design has a map.
 */
export function csrMapOf(node: NodeView, clockHz: number, map: RegisterMap | null): CsrMap {
  const { fpga_id: id, board, design } = node;
  return {
    csr_bases: { ...(map ? { design: 0 } : {}), wishbench: BLOCK, identifier_mem: IDENTIFIER },
    csr_registers: {
      ...(map ? csrRegisters(map) : {}),
      ...Object.fromEntries(
        REGISTERS.map(([name, offset, type]) => [
          `wishbench_${name}`,
          { addr: BLOCK + offset, size: 1, type },
        ]),
      ),
    },
    constants: {
      config_clock_frequency: clockHz,
      config_csr_data_width: 32,
      config_csr_alignment: 32,
      config_bus_standard: 'wishbone',
      config_bus_data_width: 32,
      config_bus_address_width: 32,
      config_identifier: `Wishbench node ${id}, ${board.name}${design ? `, ${design.module}` : ''}`,
    },
    memories: {
      design: { base: 0, size: DESIGN_BYTES, type: 'io' },
      wishbench: { base: BLOCK, size: 64, type: 'io' },
    },
  };
}

const hex = (address: number): string => `0x${address.toString(16).padStart(8, '0')}`;
/** Fields have no quotes: LiteX's tools split lines at commas. */
const field = (text: string): string => text.replace(/[\r\n,"]+/g, ' ').trim();

/** The same as csr.csv (enjoy-digital/litex, litex/soc/integration/export.py): five fields a line. */
export function csrCsv(map: CsrMap): string {
  const lines = [
    ...Object.entries(map.csr_bases).map(([name, base]) => `csr_base,${name},${hex(base)},,`),
    ...Object.entries(map.csr_registers).map(
      ([name, { addr, size, type }]) => `csr_register,${name},${hex(addr)},${size},${type}`,
    ),
    ...Object.entries(map.constants).map(
      ([name, value]) => `constant,${name},${field(String(value ?? ''))},,`,
    ),
    ...Object.entries(map.memories).map(
      ([name, { base, size, type }]) => `memory_region,${name},${hex(base)},${size},${type}`,
    ),
  ];
  return `${lines.join('\n')}\n`;
}
