/** A module with the classic bus that answers at once. @param head text before it */
export const slave = (
  body: string,
  head = '',
) => `${head}module slave(input wb_clk, input wb_rst, input wb_cyc,
  input wb_stb, input wb_we, input [21:0] wb_adr, input [31:0] wb_dat_w, output [31:0] wb_dat_r, output wb_ack);
${body}
  assign wb_ack = wb_stb;
endmodule
`;
