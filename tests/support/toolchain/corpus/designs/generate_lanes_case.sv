// Lanes by generate: for, if and case, with names in each and a function of the package scope.
// Wishbone slave: module lanes, 32-bit data, pipelined handshake, reset active high
// ports: ack = o_wb_ack, cyc = i_wb_cyc, stb = i_wb_stb, we = i_wb_we, adr = i_wb_addr, dat_w = i_wb_data, dat_r = o_wb_data, stall = o_wb_stall, clk = i_clk, rst = i_reset
// addresses: word
function automatic int unsigned lane_width(int unsigned lane);
  return lane == 0 ? 8 : lane * 8;
endfunction

module lanes #(parameter int LANES = 3) (
  input logic i_clk, input logic i_reset, input logic i_wb_cyc, i_wb_stb, i_wb_we, input logic [2:0] i_wb_addr,
  input logic [31:0] i_wb_data, output logic [31:0] o_wb_data, output logic o_wb_ack, output logic o_wb_stall
);
  logic [31:0] values [LANES];
  assign o_wb_stall = 1'b0;
  for (genvar l = 0; l < LANES; l++) begin : g_lane
    localparam int W = lane_width(l + 1);
    logic [W-1:0] register;
    always_ff @(posedge i_clk)
      if (i_reset) register <= '0;
      else if (i_wb_stb && i_wb_we && i_wb_addr == l) register <= i_wb_data[W-1:0];
    case (l)
      0: begin : g_plain
        assign values[l] = 32'(register);
      end
      1: begin : g_inverted
        assign values[l] = 32'(~register);
      end
      default: begin : g_swapped
        assign values[l] = {<<8{32'(register)}};
      end
    endcase
  end
  always_ff @(posedge i_clk) begin
    o_wb_ack <= i_wb_stb & i_wb_cyc & ~i_reset;
    o_wb_data <= '0;
    for (int unsigned l = 0; l < LANES; l++)
      if (i_wb_addr == 3'(l)) o_wb_data <= values[l];
  end
endmodule
