// Verilog of 1995: ports without types, defparam, and parameters by order.
// Wishbone slave: module old_timers, 32-bit data, classic handshake, reset active high
// ports: ack = ack_o, cyc = cyc_i, stb = stb_i, we = we_i, adr = adr_i, dat_w = dat_i, dat_r = dat_o, clk = clock, rst = reset
// addresses: byte
module old_timers (clock, reset, cyc_i, stb_i, we_i, adr_i, dat_i, dat_o, ack_o, ticks);
input clock, reset;
input cyc_i, stb_i, we_i;
input [4:0] adr_i;
input [31:0] dat_i;
output [31:0] dat_o;
output ack_o;
output [2:0] ticks;
wire [31:0] value0, value1, value2;
reg [31:0] dat_o;
reg ack_o;
wire strobe;
assign strobe = cyc_i & stb_i & ~ack_o;

down_counter first (clock, reset, strobe & we_i & (adr_i[4:2] == 3'd0), dat_i, value0, ticks[0]);
defparam first.size = 16;
defparam first.start = 1000;
down_counter #(24, 5000) second (clock, reset, strobe & we_i & (adr_i[4:2] == 3'd1), dat_i, value1, ticks[1]);
down_counter third (clock, reset, strobe & we_i & (adr_i[4:2] == 3'd2), dat_i, value2, ticks[2]);

always @ (posedge clock)
begin
  ack_o <= strobe;
  case (adr_i[4:2])
  3'd0 : dat_o <= value0;
  3'd1 : dat_o <= value1;
  3'd2 : dat_o <= value2;
  default : dat_o <= 32'd0;
  endcase
end
endmodule

module down_counter (clock, reset, load, data, value, zero);
parameter size = 8, start = 255;
input clock, reset, load;
input [31:0] data;
output [31:0] value;
output zero;
reg [size-1:0] count, again;
assign value = count;
assign zero = (count == 0);
always @ (posedge clock)
  if (reset) begin count <= start; again <= start; end
  else if (load) begin count <= data[size-1:0]; again <= data[size-1:0]; end
  else if (zero) count <= again;
  else count <= count - 1;
endmodule
