import type { Port } from '../../../../server/contract/designs/uploads.ts';
import type { CandidateModule } from '../../../../server/toolchain/slave/candidate.ts';
import type { Role } from '../../../../server/toolchain/slave/roles.ts';

/** A port by its name, a `[high:low]` range, and its direction by the role. */
export function port(text: string, direction: Port['direction'] = 'input'): Port {
  const [, name = '', high, low] = /^(\S+?)(?:\[(\d+):(\d+)\])?$/.exec(text) ?? [];
  const offset = Number(low ?? 0);
  return { name, direction, width: high === undefined ? 1 : Number(high) - offset + 1, offset };
}

const OUTPUTS: readonly string[] = ['dat_r', 'ack', 'stall', 'err', 'rty'];
export const directionOf = (role: string): Port['direction'] => (OUTPUTS.includes(role) ? 'output' : 'input');

export interface Dialect {
  title: string;
  ports: Partial<Record<Role, string>>;
  addressing: 'byte' | 'word';
  resetActiveLow?: boolean;
}

/** A module with the ports of a dialect and others besides. */
export const moduleOf = (dialect: Pick<Dialect, 'ports'>, others: Port[] = []): CandidateModule => ({
  name: 'slave',
  ports: [...Object.entries(dialect.ports).map(([role, text]) => port(text, directionOf(role))), ...others],
});

/** Conventions in real use, each with the expected result of the matcher. */
export const DIALECTS: Dialect[] = [
  {
    title: 'the contract',
    ports: {
      clk: 'clk',
      rst: 'rst',
      cyc: 'wb_cyc',
      stb: 'wb_stb',
      we: 'wb_we',
      adr: 'wb_adr[8:0]',
      dat_w: 'wb_dat_w[31:0]',
      sel: 'wb_sel[3:0]',
      dat_r: 'wb_dat_r[31:0]',
      ack: 'wb_ack',
    },
    addressing: 'word',
  },
  {
    title: 'OpenCores, 32 bits',
    ports: {
      clk: 'wb_clk_i',
      rst: 'wb_rst_i',
      cyc: 'wb_cyc_i',
      stb: 'wb_stb_i',
      we: 'wb_we_i',
      adr: 'wb_adr_i[31:0]',
      dat_w: 'wb_dat_i[31:0]',
      sel: 'wb_sel_i[3:0]',
      dat_r: 'wb_dat_o[31:0]',
      ack: 'wb_ack_o',
      err: 'wb_err_o',
    },
    addressing: 'byte',
  },
  {
    title: 'OpenCores, 8 bits',
    ports: {
      clk: 'wb_clk_i',
      rst: 'wb_rst_i',
      cyc: 'wb_cyc_i',
      stb: 'wb_stb_i',
      we: 'wb_we_i',
      adr: 'wb_adr_i[2:0]',
      dat_w: 'wb_dat_i[7:0]',
      dat_r: 'wb_dat_o[7:0]',
      ack: 'wb_ack_o',
    },
    addressing: 'word',
  },
  {
    title: 'a declared low bound',
    ports: {
      clk: 'clk_i',
      rst: 'rst_i',
      cyc: 'cyc_i',
      stb: 'stb_i',
      we: 'we_i',
      adr: 'adr_i[11:2]',
      dat_w: 'dat_i[31:0]',
      sel: 'sel_i[3:0]',
      dat_r: 'dat_o[31:0]',
      ack: 'ack_o',
      err: 'err_o',
      rty: 'rty_o',
    },
    addressing: 'word',
  },
  {
    title: 'ZipCPU',
    ports: {
      clk: 'i_clk',
      rst: 'i_reset',
      cyc: 'i_wb_cyc',
      stb: 'i_wb_stb',
      we: 'i_wb_we',
      adr: 'i_wb_addr[14:0]',
      dat_w: 'i_wb_data[31:0]',
      sel: 'i_wb_sel[3:0]',
      dat_r: 'o_wb_data[31:0]',
      ack: 'o_wb_ack',
      stall: 'o_wb_stall',
      err: 'o_wb_err',
    },
    addressing: 'word',
  },
  {
    title: 'Caravel',
    ports: {
      clk: 'wb_clk_i',
      rst: 'wb_rst_i',
      cyc: 'wbs_cyc_i',
      stb: 'wbs_stb_i',
      we: 'wbs_we_i',
      adr: 'wbs_adr_i[31:0]',
      dat_w: 'wbs_dat_i[31:0]',
      sel: 'wbs_sel_i[3:0]',
      dat_r: 'wbs_dat_o[31:0]',
      ack: 'wbs_ack_o',
    },
    addressing: 'byte',
  },
  {
    title: 'SpinalHDL',
    ports: {
      clk: 'clk',
      rst: 'reset',
      cyc: 'io_wbs_CYC',
      stb: 'io_wbs_STB',
      we: 'io_wbs_WE',
      adr: 'io_wbs_ADR[13:0]',
      dat_w: 'io_wbs_DAT_MOSI[31:0]',
      sel: 'io_wbs_SEL[3:0]',
      dat_r: 'io_wbs_DAT_MISO[31:0]',
      ack: 'io_wbs_ACK',
    },
    addressing: 'word',
  },
  {
    title: 'SERV',
    ports: {
      clk: 'i_clk',
      rst: 'i_rst',
      cyc: 'i_wb_cyc',
      stb: 'i_wb_stb',
      we: 'i_wb_we',
      adr: 'i_wb_adr[31:0]',
      dat_w: 'i_wb_dat[31:0]',
      sel: 'i_wb_sel[3:0]',
      dat_r: 'o_wb_rdt[31:0]',
      ack: 'o_wb_ack',
    },
    addressing: 'byte',
  },
  {
    title: 'camel case',
    ports: {
      clk: 'clk',
      rst: 'nReset',
      cyc: 'wbCycI',
      stb: 'wbStbI',
      we: 'wbWeI',
      adr: 'wbAdrI[15:0]',
      dat_w: 'wbDatI[31:0]',
      sel: 'wbSelI[3:0]',
      dat_r: 'wbDatO[31:0]',
      ack: 'wbAckO',
    },
    addressing: 'byte',
    resetActiveLow: true,
  },
  {
    title: 'in and out as suffixes, 16 bits',
    ports: {
      clk: 'wb_clk',
      rst: 'wb_rst',
      cyc: 'wb_cyc_in',
      stb: 'wb_stb_in',
      we: 'wb_we_in',
      adr: 'wb_adr_in[3:1]',
      dat_w: 'wb_dat_in[15:0]',
      sel: 'wb_sel_in[1:0]',
      dat_r: 'wb_dat_out[15:0]',
      ack: 'wb_ack_out',
    },
    addressing: 'word',
  },
  {
    title: 'Amaranth',
    ports: {
      clk: 'clk',
      rst: 'rst',
      cyc: 'bus__cyc',
      stb: 'bus__stb',
      we: 'bus__we',
      adr: 'bus__adr[13:0]',
      dat_w: 'bus__dat_w[31:0]',
      sel: 'bus__sel[3:0]',
      dat_r: 'bus__dat_r[31:0]',
      ack: 'bus__ack',
    },
    addressing: 'word',
  },
  {
    title: 'wdata and rdata',
    ports: {
      clk: 'sys_clk',
      rst: 'sys_rst_n',
      cyc: 'wb_cyc',
      stb: 'wb_stb',
      we: 'wb_we',
      adr: 'wb_addr[23:0]',
      dat_w: 'wb_wdata[31:0]',
      sel: 'wb_sel[3:0]',
      dat_r: 'wb_rdata[31:0]',
      ack: 'wb_ack',
    },
    addressing: 'byte',
    resetActiveLow: true,
  },
  {
    title: 'capitals without separators',
    ports: {
      clk: 'CLKI',
      rst: 'RSTNI',
      cyc: 'WBCYCI',
      stb: 'WBSTBI',
      we: 'WBWEI',
      adr: 'WBADRI[31:0]',
      dat_w: 'WBDATI[31:0]',
      sel: 'WBSELI[3:0]',
      dat_r: 'WBDATO[31:0]',
      ack: 'WBACKO',
    },
    addressing: 'byte',
    resetActiveLow: true,
  },
  {
    title: 'the name of the core as prefix',
    ports: {
      clk: 'clk',
      rst: 'rst_ni',
      cyc: 'gpio_wb_cyc_i',
      stb: 'gpio_wb_stb_i',
      we: 'gpio_wb_we_i',
      adr: 'gpio_wb_adr_i[7:0]',
      dat_w: 'gpio_wb_dat_i[31:0]',
      sel: 'gpio_wb_sel_i[3:0]',
      dat_r: 'gpio_wb_dat_o[31:0]',
      ack: 'gpio_wb_ack_o',
    },
    addressing: 'byte',
    resetActiveLow: true,
  },
  {
    title: 'records of VHDL, as GHDL takes them apart',
    ports: {
      clk: 'clk_i',
      rst: 'rst_n_i',
      cyc: 'slave_i_cyc',
      stb: 'slave_i_stb',
      we: 'slave_i_we',
      adr: 'slave_i_adr[31:0]',
      dat_w: 'slave_i_dat[31:0]',
      sel: 'slave_i_sel[3:0]',
      dat_r: 'slave_o_dat[31:0]',
      ack: 'slave_o_ack',
      stall: 'slave_o_stall',
    },
    addressing: 'byte',
    resetActiveLow: true,
  },
  {
    title: 'records of VHDL that say who sends, and the way besides',
    ports: {
      clk: 'clk_i',
      rst: 'rst_n_i',
      cyc: 'gpio_wb_rx_i_cyc',
      stb: 'gpio_wb_rx_i_stb',
      we: 'gpio_wb_rx_i_we',
      adr: 'gpio_wb_rx_i_adr[31:0]',
      dat_w: 'gpio_wb_rx_i_dat[31:0]',
      dat_r: 'gpio_wb_tx_o_dat[31:0]',
      ack: 'gpio_wb_tx_o_ack',
      err: 'gpio_wb_tx_o_err',
    },
    addressing: 'byte',
    resetActiveLow: true,
  },
];

/** Every name that a survey of 275 published slaves counted, by role; those of one bit first, then vectors. */
export const SURVEYED: Record<Role, string[]> = {
  clk: ['wb_clk_i', 'clk', 'i_clk', 'clk_i', 'sys_clk', 'wb_clk', 'i_wb_clk'],
  rst: 'wb_rst_i rst rst_i i_reset reset sys_rst rst_n wb_rst rst_ni i_rst i_wb_rst wb_rstn_i nrst_i'.split(
    ' ',
  ),
  cyc: 'wb_cyc_i i_wb_cyc wbs_cyc_i cyc_i wb_cyc io_wbs_cyc wb_cyc_in wbCycI wb_CYC'.split(' '),
  stb: 'wb_stb_i i_wb_stb wbs_stb_i stb_i wb_stb io_wbs_stb wb_stb_in wbStbI'.split(' '),
  we: 'wb_we_i i_wb_we wbs_we_i we_i wb_we'.split(' '),
  adr: 'wb_adr_i wbs_adr_i i_wb_addr adr_i wb_addr i_wb_adr ADR'.split(' '),
  dat_w: 'wb_dat_i i_wb_data wbs_dat_i dat_i wb_wdata i_wb_dat wb_data_i wb_dat_w DAT_MOSI'.split(' '),
  sel: 'wb_sel_i i_wb_sel wbs_sel_i sel_i'.split(' '),
  dat_r: 'wb_dat_o o_wb_data wbs_dat_o dat_o wb_rdata o_wb_rdt wb_dat_r DAT_MISO'.split(' '),
  ack: 'wb_ack_o o_wb_ack wbs_ack_o ack_o wb_ack'.split(' '),
  stall: 'o_wb_stall wb_stall_o'.split(' '),
  err: 'wb_err_o o_wb_err err_o'.split(' '),
  rty: 'wb_rty_o o_wb_rty rty_o'.split(' '),
};

export const ACTIVE_LOW = ['rst_n', 'rst_ni', 'wb_rstn_i', 'nrst_i'];
