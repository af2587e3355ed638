// Switches and lamps: sixteen switches set what sixteen lamps show, and a button counts.
//
//   0x00 MODE   r/w   0 lamps follow the switches, 1 lamps show COUNT, 2 lamps show PATTERN
//   0x04 PATTERN r/w  lamps of mode 2
//   0x08 COUNT  read  how often the button was pressed
//   0x0C SW     read  the switches
//
// The ports below the bus are pins of the bench: GET and PUT /fpga/{id}/pins, or the panel of the GUI.
module panel (
    input  wire        clk,
    input  wire        rst,
    input  wire        wb_cyc,
    input  wire        wb_stb,
    input  wire        wb_we,
    input  wire [29:0] wb_adr,
    input  wire [31:0] wb_dat_w,
    input  wire [ 3:0] wb_sel,
    output reg  [31:0] wb_dat_r,
    output reg         wb_ack,
    input  wire [15:0] sw,
    input  wire        button_n,
    output wire [15:0] led,
    output reg         pressed
);
  reg [ 1:0] mode;
  reg [15:0] pattern, count;
  reg        released;
  wire       access = wb_cyc & wb_stb & ~wb_ack;

  assign led = mode == 2'd0 ? sw : mode == 2'd1 ? count : pattern;

  always @(posedge clk) begin
    released <= button_n;
    pressed <= released & ~button_n; // for one clock
    wb_ack <= access;
    if (pressed) count <= count + 1'b1;
    if (access & wb_we & wb_adr[1:0] == 2'd0) mode <= wb_dat_w[1:0];
    if (access & wb_we & wb_adr[1:0] == 2'd1) pattern <= wb_dat_w[15:0];
    case (wb_adr[1:0])
      2'd0: wb_dat_r <= {30'd0, mode};
      2'd1: wb_dat_r <= {16'd0, pattern};
      2'd2: wb_dat_r <= {16'd0, count};
      2'd3: wb_dat_r <= {16'd0, sw};
    endcase
    if (rst) begin
      mode <= 2'd0;
      pattern <= 16'd0;
      count <= 16'd0;
      released <= 1'b1;
      pressed <= 1'b0;
      wb_ack <= 1'b0;
    end
  end
endmodule
