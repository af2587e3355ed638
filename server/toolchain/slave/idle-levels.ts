/** Idle level of an input outside the bus, by its name. */
interface IdleLevel {
  /** Pattern for the end of a name: lower case, words joined by `_`, without direction marks. */
  names: RegExp;
  level: 0 | 1;
  /** The reason, as a clause for the log and the GUI. */
  reason: string;
  /** Source of the level. */
  source: string;
  /** Port names of public designs. */
  examples: readonly string[];
}

/**
 * Idle levels of inputs. The first match counts; the level of other inputs is 0. The common rule: no request, no data,
 * and every permission to proceed is given.
 */
export const IDLE_LEVELS: readonly IdleLevel[] = [
  {
    names: /(?:^|_)n?(?:cts|dsr|dcd|cd|rts|dtr)(?:_?[nb])?$/,
    level: 0,
    reason: 'a modem line: low lets a UART send',
    source:
      'RS-232 drivers invert: at logic level these lines are active low, with and without a mark. SoCs tie those of uart16550 to 0, and NEORV32 has 0 as default.',
    examples: [
      'cts_n',
      'i_cts_n',
      'dsr_n',
      'dcd_n',
      'cd_ni',
      'cts_pad_i',
      'dcd_pad_i',
      'uart0_cts_i',
      'uart_rts_n',
    ],
  },
  {
    names: /(?:^|_)txe(?:_?[nb])?$/,
    level: 0,
    reason: 'low: the FIFO accepts a byte',
    source: 'FTDI FT245 data sheet: TXE# is low while a byte may be written.',
    examples: ['ftdi_txe_n', 'txe_n_i'],
  },
  {
    names: /(?:^|_)(?:\w*oenb|oeb|oen|oe_n|oe_b)$/,
    level: 1,
    reason: 'an active-low output enable',
    source: 'Caravel: 1 in la_oenb does not drive. Asynchronous memories: OE# high does not drive.',
    examples: ['la_oenb', 'oe_n', 'sram_oe_n'],
  },
  {
    names: /(?:^|_)(?:r?g?mii|eth|enet|phy|e)\d*_rxd?$/,
    level: 0,
    reason: 'data of an Ethernet PHY, without meaning outside a frame',
    source: 'IEEE 802.3 clause 22: RXD counts while RX_DV is 1.',
    examples: ['mii_rxd', 'rgmii_rxd', 'eth_rxd', 'phy_rxd'],
  },
  {
    names: /(?:^|_)(?:rx|rxd|s?rx_?d?|sin|serin|ser_rx|uartrx|urx)$/,
    level: 1,
    reason: 'a serial line idles high',
    source: 'UART: idle is mark, which is 1. CAN and LIN: recessive is 1.',
    examples: ['rx', 'uart_rx', 'i_uart_rx', 'uartRx', 'rxd_i', 'srx_pad_i', 'uart0_rxd_i', 'can_rx'],
  },
  {
    names: /(?:^|_)(?:scl|sda)$/,
    level: 1,
    reason: 'an I2C line idles high',
    source: 'NXP UM10204: open drain with pull-ups.',
    examples: ['scl_pad_i', 'sda_pad_i', 'sda_i', 'i2c_scl_i'],
  },
  {
    names: /(?:^|_)(?:ps_?2|kbd?|keyboard|mouse|ms)_?(?:clk|clock|c|data?|d)$/,
    level: 1,
    reason: 'a PS/2 line idles high',
    source: 'PS/2: open collector with pull-ups; clock and data high are the idle state.',
    examples: ['ps2_clk', 'ps2_data', 'ps2_kbd_clk', 'ps2d', 'PS2_DAT'],
  },
  {
    names: /(?:^|_)(?:owr|1_?wire|one_?wire)$/,
    level: 1,
    reason: 'a 1-Wire line idles high',
    source: '1-Wire: open drain with a pull-up.',
    examples: ['owr_i', 'onewire', 'one_wire_i'],
  },
  {
    names: /(?:^|_)(?:mdio|md|mdi)$/,
    level: 1,
    reason: 'the MDIO line has a pull-up',
    source: 'IEEE 802.3 clause 22: what no PHY answers reads as 1.',
    examples: ['md_pad_i', 'mdio_i', 'eth_mdio'],
  },
  {
    names: /(?:^|_)(?:sdc?|sdcard|sdio|e?mmc)\d*_(?:cmd|data?|d)(?:_dat)?\d*$/,
    level: 1,
    reason: 'the lines of an SD card have pull-ups',
    source: 'SD Physical Layer Specification: CMD and DAT are pulled up.',
    examples: ['sd_cmd', 'sd_dat', 'sd_cmd_dat_i', 'sd_dat_dat_i', 'sdcard_d0'],
  },
  {
    names: /(?:^|_)j?(?:tms|tdi|trst)(?:_?[nb])?$/,
    level: 1,
    reason: 'a JTAG input idles high',
    source: 'IEEE 1149.1: TMS, TDI and TRST* that nothing drives are read as 1.',
    examples: ['tms_pad_i', 'jtag_tdi', 'jtag_trst_ni', 'trst_n'],
  },
  {
    names: /(?:^|_)usb\d?_?d_?(?:p|plus)$/,
    level: 1,
    reason: 'USB idles with D+ high and D- low',
    source: 'USB 2.0, 7.1.7: the idle state of a full-speed device is J.',
    examples: ['usb_dp', 'usb_d_p'],
  },
  {
    names: /(?:^|_)usb\d?_?d_?(?:n|m|minus)$/,
    level: 0,
    reason: 'USB idles with D+ high and D- low',
    source: 'USB 2.0, 7.1.7; this n is no active low.',
    examples: ['usb_dn', 'usb_d_n', 'usb_dm'],
  },
  {
    names: /(?:^|_)(?:csn|csb|ssn|ssb|ncs|nss)$|(?:^|_)spi_(?:cs|ss)$/,
    level: 1,
    reason: 'a chip select idles high',
    source: 'SPI and memories: low selects.',
    examples: ['csb', 'csn_i', 'spi_cs', 'spi_ss', 'nss'],
  },
  {
    names: /_n$/,
    level: 1,
    reason: 'active low by its name',
    source: 'Inactive is 1: no interrupt, no access, nothing busy, no ring, nothing pressed.',
    examples: [
      'button_n',
      'btn_n_i',
      'irq_n',
      'irq_ni',
      'ri_n',
      'busy_n',
      'wait_n',
      'rxf_n',
      'sdram_cs_n',
      'we_n',
      'spi_cs_n',
    ],
  },
  {
    names: /(?:^|_)(?:ce|cke|clk_?ena?|clken|clkena|clk_enable|clock_enable|clock_en|cen)$/,
    level: 1,
    reason: 'a clock enable',
    source: 'Nothing of the design moves without it. SDRAM: CKE low suspends.',
    examples: ['i_ce', 'clk_en', 'clken_i', 'sdram_cke'],
  },
];

/** Initial level of an input, with the reason. @param words of its name, without direction marks */
export function idleLevelOf(words: readonly string[]): Pick<IdleLevel, 'level' | 'reason'> {
  const name = words.join('_');
  return (
    IDLE_LEVELS.find(({ names }) => names.test(name)) ?? { level: 0, reason: 'an input outside the bus' }
  );
}
