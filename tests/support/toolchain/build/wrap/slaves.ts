const CLASSIC = `input clk, input rst, input wb_cyc, input wb_stb, input wb_we, input [3:0] wb_adr, input [31:0] wb_dat_w,
  output [31:0] wb_dat_r, output wb_ack`;
const MEMORY = 'reg [31:0] memory [0:15]; reg [31:0] accesses = 0;';

/** Ways to acknowledge, of slaves with the contract's ports; `once`: every transfer reaches the slave once. */
export const HANDSHAKES: { title: string; source: string; once: boolean }[] = [
  {
    title: 'acknowledge registered and withdrawn at once',
    once: true,
    source: `module slave (${CLASSIC}); ${MEMORY} reg ack = 0; reg [31:0] q;
      assign wb_ack = ack, wb_dat_r = q; wire access = wb_cyc & wb_stb & ~ack;
      always @(posedge clk) begin ack <= access & ~rst; if (access) begin accesses <= accesses + 1;
        if (wb_we) memory[wb_adr] <= wb_dat_w; q <= wb_adr == 15 ? accesses : memory[wb_adr]; end end endmodule`,
  },
  {
    title: 'acknowledge combinational',
    once: true,
    source: `module slave (${CLASSIC}); ${MEMORY} assign wb_ack = wb_cyc & wb_stb;
      assign wb_dat_r = wb_adr == 15 ? accesses : memory[wb_adr];
      always @(posedge clk) if (wb_ack) begin accesses <= accesses + 1; if (wb_we) memory[wb_adr] <= wb_dat_w; end endmodule`,
  },
  {
    title: 'acknowledge constant',
    once: true,
    source: `module slave (${CLASSIC}); ${MEMORY} assign wb_ack = 1'b1;
      assign wb_dat_r = wb_adr == 15 ? accesses : memory[wb_adr];
      always @(posedge clk) if (wb_cyc & wb_stb) begin accesses <= accesses + 1; if (wb_we) memory[wb_adr] <= wb_dat_w; end endmodule`,
  },
  {
    title: 'acknowledge held for two clocks',
    once: true,
    source: `module slave (${CLASSIC}); ${MEMORY} reg [1:0] ack = 0; reg [31:0] q;
      assign wb_ack = |ack, wb_dat_r = q; wire access = wb_cyc & wb_stb & ~wb_ack;
      always @(posedge clk) begin ack <= {ack[0], access & ~rst}; if (access) begin accesses <= accesses + 1;
        if (wb_we) memory[wb_adr] <= wb_dat_w; q <= wb_adr == 15 ? accesses : memory[wb_adr]; end end endmodule`,
  },
  {
    title: 'acknowledge three clocks late and as long as the strobe was',
    once: false,
    source: `module slave (${CLASSIC}); ${MEMORY} reg [2:0] ack = 0; reg [31:0] q0, q1, q;
      assign wb_ack = ack[2], wb_dat_r = q;
      always @(posedge clk) begin ack <= {ack[1:0], wb_cyc & wb_stb & ~rst}; {q, q1} <= {q1, q0}; q0 <= memory[wb_adr];
        if (wb_cyc & wb_stb & wb_we) memory[wb_adr] <= wb_dat_w; end endmodule`,
  },
  {
    title: 'acknowledge on the falling edge',
    once: true,
    source: `module slave (${CLASSIC}); ${MEMORY} reg ack = 0; reg [31:0] q; assign wb_ack = ack, wb_dat_r = q;
      always @(negedge clk) begin ack <= wb_cyc & wb_stb & ~rst; if (wb_cyc & wb_stb & ~ack) begin accesses <= accesses + 1;
        if (wb_we) memory[wb_adr] <= wb_dat_w; q <= wb_adr == 15 ? accesses : memory[wb_adr]; end end endmodule`,
  },
  {
    title: 'acknowledge after a hundred clocks',
    once: true,
    source: `module slave (${CLASSIC}); ${MEMORY} reg [6:0] wait_left = 100; reg ack = 0; reg [31:0] q; assign wb_ack = ack, wb_dat_r = q;
      wire access = wb_cyc & wb_stb & ~ack;
      always @(posedge clk) begin ack <= access & wait_left == 0 & ~rst; wait_left <= access & wait_left != 0 ? wait_left - 1 : 100;
        if (access & wait_left == 0) begin accesses <= accesses + 1; if (wb_we) memory[wb_adr] <= wb_dat_w;
        q <= wb_adr == 15 ? accesses : memory[wb_adr]; end end endmodule`,
  },
  {
    title: 'pipelined, never busy',
    once: true,
    source: `module slave (${CLASSIC}, output wb_stall); ${MEMORY} reg ack = 0; reg [31:0] q;
      assign wb_ack = ack, wb_dat_r = q, wb_stall = 1'b0;
      always @(posedge clk) begin ack <= wb_stb & ~rst; if (wb_stb) begin accesses <= accesses + 1;
        if (wb_we) memory[wb_adr] <= wb_dat_w; q <= wb_adr == 15 ? accesses : memory[wb_adr]; end end endmodule`,
  },
  {
    title: 'pipelined, with an answer four clocks later',
    once: true,
    source: `module slave (${CLASSIC}, output wb_stall); ${MEMORY} reg [3:0] ack = 0; reg [31:0] q;
      assign wb_ack = ack[3], wb_dat_r = q, wb_stall = 1'b0;
      always @(posedge clk) begin ack <= wb_cyc ? {ack[2:0], wb_stb & ~rst} : 4'd0; if (wb_stb) begin accesses <= accesses + 1;
        if (wb_we) memory[wb_adr] <= wb_dat_w; q <= wb_adr == 15 ? accesses : memory[wb_adr]; end end endmodule`,
  },
  {
    title: 'pipelined, stalled before every request',
    once: true,
    source: `module slave (${CLASSIC}, output wb_stall); ${MEMORY} reg ack = 0; reg [31:0] q; reg [2:0] busy = 5;
      assign wb_ack = ack, wb_dat_r = q, wb_stall = busy != 0; wire request = wb_stb & ~wb_stall;
      always @(posedge clk) begin ack <= request & ~rst; busy <= request | ~wb_cyc ? 5 : busy != 0 ? busy - 1 : 0;
        if (request) begin accesses <= accesses + 1;
        if (wb_we) memory[wb_adr] <= wb_dat_w; q <= wb_adr == 15 ? accesses : memory[wb_adr]; end end endmodule`,
  },
  {
    title: 'pipelined, stalled until it acknowledges',
    once: true,
    source: `module slave (${CLASSIC}, output wb_stall); ${MEMORY} reg ack = 0; reg [31:0] q;
      assign wb_ack = ack, wb_dat_r = q, wb_stall = wb_cyc & ~ack; wire access = wb_cyc & wb_stb & ~ack;
      always @(posedge clk) begin ack <= access & ~rst; if (access) begin accesses <= accesses + 1;
        if (wb_we) memory[wb_adr] <= wb_dat_w; q <= wb_adr == 15 ? accesses : memory[wb_adr]; end end endmodule`,
  },
  {
    title: 'pipelined, acknowledged in the clock of the request',
    once: true,
    source: `module slave (${CLASSIC}, output wb_stall); ${MEMORY} assign wb_ack = wb_cyc & wb_stb, wb_stall = 1'b0;
      assign wb_dat_r = wb_adr == 15 ? accesses : memory[wb_adr];
      always @(posedge clk) if (wb_ack) begin accesses <= accesses + 1; if (wb_we) memory[wb_adr] <= wb_dat_w; end endmodule`,
  },
];
