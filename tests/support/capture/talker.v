// Says the same over and over on a serial line, an SPI bus and an I2C bus, and answers on Wishbone.
module talker (
    input  wire        clk, rst,
    input  wire        wb_cyc, wb_stb, wb_we,
    input  wire [ 3:0] wb_adr,
    input  wire [31:0] wb_dat_w,
    output reg  [31:0] wb_dat_r,
    output reg         wb_ack,
    output reg         tx, sck, mosi, cs_n, scl, sda
);
  reg [31:0] count = 0, scratch = 0;
  always @(posedge clk) begin
    count <= count + 32'd1;
    wb_ack <= wb_cyc & wb_stb & ~wb_ack & ~rst;
    wb_dat_r <= wb_adr[2] ? scratch : count ^ {24'd0, wave};
    if (wb_cyc & wb_stb & wb_we & ~wb_ack) scratch <= wb_dat_w;
  end

  // A triangle.
  (* keep *) reg [7:0] wave = 0;
  always @(posedge clk) wave <= count[9] ? ~count[8:1] : count[8:1];

  // 16 clocks a bit: "Hi!\n", eight data bits, no parity.
  reg [4:0] slot = 0;
  reg [1:0] letter = 0;
  wire [7:0] text = letter == 0 ? "H" : letter == 1 ? "i" : letter == 2 ? "!" : 8'h0a;
  always @(posedge clk)
    if (rst) tx <= 1;
    else if (count[3:0] == 0) begin
      slot <= slot == 5'd11 ? 5'd0 : slot + 5'd1;
      if (slot == 5'd11) letter <= letter + 2'd1;
      tx <= slot == 0 ? 1'b0 : slot <= 5'd8 ? text[slot[3:0] - 4'd1] : 1'b1;
    end

  // SPI mode 0: a byte that counts, and four clocks of rest between two.
  reg [4:0] step = 0;
  reg [7:0] value = 8'h9e;
  always @(posedge clk)
    if (rst) cs_n <= 1;
    else if (count[1:0] == 0) begin
      step <= step == 5'd21 ? 5'd0 : step + 5'd1;
      cs_n <= step > 5'd17;
      sck <= step >= 5'd1 && step <= 5'd16 && !step[0];
      if (step <= 5'd16 && step[0]) mosi <= value[3'd7 - step[3:1]];
      if (step == 5'd21) value <= value + 8'd1;
    end

  // I2C: 0x50 is written 0x3C, acknowledged.
  reg [6:0] quarter = 0;
  wire [4:0] place = quarter[6:2];
  wire [19:0] bits = {1'b0, 8'hA0, 1'b0, 8'h3C, 1'b0, 1'b0};
  always @(posedge clk)
    if (rst) {scl, sda} <= 2'b11;
    else if (count[2:0] == 0) begin
      quarter <= quarter + 7'd1;
      if (place == 0) begin scl <= quarter[1:0] != 3; sda <= quarter[1:0] < 2; end
      else if (place <= 18) begin
        scl <= quarter[1:0] == 1 || quarter[1:0] == 2;
        if (quarter[1:0] == 0) sda <= bits[5'd19 - place];
      end
      else if (place == 19) begin
        if (quarter[1:0] == 0) sda <= 0;
        if (quarter[1:0] == 1) scl <= 1;
        if (quarter[1:0] == 2) sda <= 1;
      end
      else begin scl <= 1; sda <= 1; end
    end
endmodule
