// A driver of a strip of coloured LEDs, with a memory of colours and two machines of states.
// Wishbone slave: module led_strip, 32-bit data, classic handshake, reset active low
// ports: ack = wb_ack_o, cyc = wb_cyc_i, stb = wb_stb_i, we = wb_we_i, adr = wb_adr_i, dat_w = wb_dat_i, dat_r = wb_dat_o, clk = clk, rst = resetn
// addresses: byte
module led_strip (
  input clk, input resetn, input [7:0] wb_adr_i, input [31:0] wb_dat_i, output reg [31:0] wb_dat_o, input wb_we_i, input wb_stb_i,
  input wb_cyc_i, output reg wb_ack_o, output reg strip
);
  localparam T0H = 5, T1H = 10, TBIT = 15, TRESET = 720;
  localparam [1:0] LOAD = 0, SEND = 1, PAUSE = 2;
  reg [23:0] colours [0:63];
  reg [23:0] shift;
  reg [5:0] led;
  reg [4:0] bit_left;
  reg [9:0] timer;
  reg [1:0] state;
  wire [9:0] high_time = shift[23] ? T1H : T0H;
  always @(posedge clk) begin
    if (wb_cyc_i && wb_stb_i && wb_we_i) colours[wb_adr_i[7:2]] <= wb_dat_i[23:0];
    wb_dat_o <= {8'd0, colours[wb_adr_i[7:2]]};
    wb_ack_o <= wb_cyc_i && wb_stb_i && !wb_ack_o && resetn;
  end
  always @(posedge clk)
    if (~resetn) begin state <= PAUSE; timer <= 0; led <= 0; strip <= 1'b0; bit_left <= 0; end
    else case (state)
      LOAD: begin shift <= colours[led]; bit_left <= 23; timer <= 0; state <= SEND; end
      SEND: begin
        strip <= timer < high_time;
        if (timer == TBIT - 1) begin
          timer <= 0;
          shift <= shift << 1;
          bit_left <= bit_left - 1'b1;
          if (bit_left == 0) begin led <= led + 1'b1; state <= &led ? PAUSE : LOAD; end
        end else timer <= timer + 1'b1;
      end
      default: begin
        strip <= 1'b0;
        timer <= timer + 1'b1;
        if (timer == TRESET) begin timer <= 0; led <= 0; state <= LOAD; end
      end
    endcase
endmodule
