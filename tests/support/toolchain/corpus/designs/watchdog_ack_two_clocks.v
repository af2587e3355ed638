// A watchdog with a key; its acknowledge stays for two clocks.
// Wishbone slave: module watchdog, 32-bit data, classic handshake, reset active low
// ports: ack = ack_o, cyc = cyc_i, stb = stb_i, we = we_i, adr = adr_i, dat_w = dat_i, dat_r = dat_o, clk = clk_i, rst = nrst_i
// addresses: byte
module watchdog (
  input clk_i, input nrst_i, input cyc_i, input stb_i, input we_i, input [5:0] adr_i, input [31:0] dat_i, output reg [31:0] dat_o,
  output ack_o, output reg bite_o
);
  parameter KEY = 32'h5AFE_C0DE;
  reg [23:0] count;
  reg [23:0] period;
  reg unlocked;
  reg [1:0] acks;
  assign ack_o = |acks;
  wire first = cyc_i & stb_i & ~|acks;
  always @(posedge clk_i)
    if (!nrst_i) begin
      count <= 24'd0; period <= 24'hFFFFFF; unlocked <= 1'b0; acks <= 2'b00; bite_o <= 1'b0;
    end else begin
      acks <= {acks[0], first};
      if (count == period) bite_o <= 1'b1;
      else count <= count + 24'd1;
      if (first & we_i)
        case (adr_i[3:2])
          2'd0: if (dat_i == KEY) begin count <= 24'd0; bite_o <= 1'b0; end
          2'd1: unlocked <= dat_i == KEY;
          2'd2: if (unlocked) period <= dat_i[23:0];
        endcase
      dat_o <= adr_i[3:2] == 2'd2 ? {8'h00, period} : adr_i[3:2] == 2'd0 ? {8'h00, count} : {30'd0, bite_o, unlocked};
    end
endmodule
