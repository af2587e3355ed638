// Unsigned divider behind a pipelined bus that really stalls: while a division runs (32 clocks), o_wb_stall
// holds off the next request, so software needs no busy flag.
//
//   0x0 DIVIDEND   r/w
//   0x4 DIVISOR    r/w    writing starts the division
//   0x8 QUOTIENT   read   all ones after a division by zero
//   0xC REMAINDER  read   the dividend after a division by zero
module divider (
    input  wire        i_clk,
    input  wire        i_reset,
    input  wire        i_wb_cyc,
    input  wire        i_wb_stb,
    input  wire        i_wb_we,
    input  wire [ 1:0] i_wb_addr,
    input  wire [31:0] i_wb_data,
    output wire        o_wb_stall,
    output reg         o_wb_ack,
    output reg  [31:0] o_wb_data
);
  reg [31:0] dividend = 0, divisor = 0, quotient = 0, remainder = 0;
  reg [5:0] left = 0;  // bits still to do

  assign o_wb_stall = left != 0;
  wire request = i_wb_cyc & i_wb_stb & ~o_wb_stall;

  // Restoring division: one bit of the quotient a clock, the highest first.
  wire [32:0] shifted = {remainder, quotient[31]};
  wire [32:0] reduced = shifted - {1'b0, divisor};

  initial o_wb_ack = 1'b0;
  always @(posedge i_clk)
    if (i_reset) begin
      o_wb_ack <= 1'b0;
      left     <= 0;
    end else begin
      o_wb_ack <= request;
      if (left != 0) begin
        left      <= left - 1'b1;
        remainder <= reduced[32] ? shifted[31:0] : reduced[31:0];
        quotient  <= {quotient[30:0], ~reduced[32]};
      end
      if (request & i_wb_we)
        case (i_wb_addr)
          2'd0: dividend <= i_wb_data;
          2'd1: begin
            divisor   <= i_wb_data;
            quotient  <= dividend;
            remainder <= 0;
            left      <= 6'd32;
          end
          default: ;
        endcase
      case (i_wb_addr)
        2'd0: o_wb_data <= dividend;
        2'd1: o_wb_data <= divisor;
        2'd2: o_wb_data <= quotient;
        2'd3: o_wb_data <= remainder;
      endcase
    end
endmodule
