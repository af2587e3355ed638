/** Suffixes that synthesis adds to a signal's name for its cells. Source: Yosys's pass `autoname`. */
const GENERATED =
  /_(?:SB_\w+|LUT[1-8]_\w+|TRELLIS_\w+|CCU2C_\w+|PFUMX_\w+|L6MUX21_\w+|DFF\w*|ALU_\w+|MUX2_LUT\w+)(?:\[\d+\])?$/;
/** Suffixes that nextpnr adds to cells and nets that it packs or promotes. */
const PACKED =
  /(?:_DFFLC|_LC|_RAM|\$sb_io|\$SB_IO_(?:IN|OUT)|_\$glb_\w+|\$nextpnr_\w+|\$iobuf_\w+|\$tr_io|\$TRELLIS_IO_\w+|\$LUT.*|\$DFF.*)+$/;

/**
 * The author's name of a placed cell or net: a signal of the design, the wrapper or the base SoC.
 * @param name as nextpnr reports it, e.g. `user.user.count_SB_DFF_Q_DFFLC`
 */
export function signalName(name: string): string {
  let plain = name.replace(/^\$gbuf_/, '').replaceAll('\\', '');
  for (let before = ''; before !== plain; ) {
    before = plain;
    plain = plain.replace(PACKED, '').replace(GENERATED, '');
  }
  if (plain === '' || /^\$|\$abc\$|\$auto\$|\$techmap/.test(plain)) return 'logic';
  // In wishbench_top the wrapper is `user`, and in the wrapper the design is `user`.
  if (plain.startsWith('user.user.')) return plain.slice('user.user.'.length);
  if (plain.startsWith('user.')) return `wrapper: ${plain.slice('user.'.length)}`;
  return `base SoC: ${plain}`;
}
