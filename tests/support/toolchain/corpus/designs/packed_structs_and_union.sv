// A register map as a packed structure, read and written as words through a union.
// Wishbone slave: module struct_map, 32-bit data, classic handshake, reset active high
// ports: ack = ack_o, cyc = cyc_i, stb = stb_i, we = we_i, adr = adr_i, dat_w = dat_i, dat_r = dat_o, sel = sel_i, clk = clk_i, rst = rst_i
// addresses: byte
module struct_map (
  input  logic        clk_i, rst_i,
  input  logic [31:0] adr_i,
  input  logic [31:0] dat_i,
  output logic [31:0] dat_o,
  input  logic [3:0]  sel_i,
  input  logic        we_i, stb_i, cyc_i,
  output logic        ack_o
);
  typedef struct packed {
    logic [7:0] red, green, blue;
    logic [6:0] gap;
    logic       on;
  } colour_t;
  typedef union packed {
    logic [31:0] word;
    colour_t     colour;
    logic [3:0][7:0] bytes;
  } register_t;
  typedef struct packed {
    register_t [1:0] lamps;
    logic [31:0] writes;
  } map_t;

  map_t map;
  register_t found;

  always_comb begin
    found.word = '0;
    if (adr_i[3:2] < 2) found = map.lamps[adr_i[2]];
    else if (adr_i[3:2] == 2) found.word = map.writes;
    else begin
      found.colour = '{red: 8'h11, green: 8'h22, blue: 8'h33, gap: '0, on: 1'b1};
    end
  end
  assign dat_o = found.word;

  always_ff @(posedge clk_i) begin
    ack_o <= cyc_i & stb_i & ~ack_o;
    if (cyc_i & stb_i & we_i & ~ack_o) begin
      map.writes <= map.writes + 1;
      if (!adr_i[3])
        for (int b = 0; b < 4; b++)
          if (sel_i[b]) map.lamps[adr_i[2]].bytes[b] <= dat_i[8*b +: 8];
    end
    if (rst_i) begin
      map <= '0;
      ack_o <= 1'b0;
    end
  end
endmodule
