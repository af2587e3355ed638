// Registers whose initial values mix 0 and 1, also under the names of an instance's ports, one net that is only an
// inverse, and an array that becomes registers.
module parity (
    input  wire       enable,
    input  wire [7:0] value,
    output wire       odd
);
  assign odd = enable & ^value;
endmodule

module initial_values (
    input  wire        clk,
    input  wire        rst,
    input  wire        stb,
    input  wire        cyc,
    input  wire        we,
    input  wire [ 3:0] adr,
    input  wire [31:0] dat_w,
    output reg  [31:0] dat_r,
    output reg         ack
);
  reg [7:0] mixed = 8'hA5;
  reg [0:3] ascending = 4'b0111;
  reg led = 1;
  wire dark = ~led;
  wire odd;
  parity check (
      .enable(led),
      .value (mixed),
      .odd   (odd)
  );

  reg [3:0] bank[1:3];
  initial begin
    bank[1] = 4'h5;
    bank[2] = 4'hC;
    bank[3] = 4'h9;
  end

  initial ack = 1'b0;
  initial dat_r = 32'hFFFF_0000;
  always @(posedge clk) begin
    ack <= cyc & stb & ~ack & ~rst;
    dat_r <= {8'hC0, 4'hD, bank[adr[3:2]], dark, led, odd, 1'b1, ascending, mixed};
    if (cyc & stb & we)
      case (adr[1:0])
        2'd0: mixed <= dat_w[7:0];
        2'd1: led <= dat_w[0];
        2'd2: ascending <= ascending + dat_w[3:0];
        default: if (dark) mixed <= mixed ^ dat_w[7:0];
      endcase
    if (cyc & stb & we) bank[adr[1:0]] <= dat_w[7:4];
    if (rst) mixed <= 8'h3C;
  end
endmodule
