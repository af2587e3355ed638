// Registers that say no: a slave with err and rty beside ack. The bench shows such an answer as a bus fault at
// that address; the node stays reserved.
//
//   0x00 to 0x0C  r/w    four registers
//   0x10          read   how often an access was refused; writing it is refused (err)
//   0x14          r/w    is busy (rty) until LOCK is 0
//   0x18 LOCK     r/w    bit 0, 1 after reset
//   else                 refused (err)
module guarded (
    input  wire        clk_i,
    input  wire        rst_i,
    input  wire        wb_cyc_i,
    input  wire        wb_stb_i,
    input  wire        wb_we_i,
    input  wire [31:0] wb_adr_i,
    input  wire [31:0] wb_dat_i,
    output reg  [31:0] wb_dat_o,
    output reg         wb_ack_o,
    output reg         wb_err_o,
    output reg         wb_rty_o
);
  reg [31:0] bank[0:3];
  reg [31:0] refused, busy_value;
  reg lock;

  wire access = wb_cyc_i & wb_stb_i & ~(wb_ack_o | wb_err_o | wb_rty_o);
  wire is_bank = wb_adr_i[31:4] == 28'd0;
  wire is_refused = wb_adr_i == 32'h10;
  wire is_busy = wb_adr_i == 32'h14;
  wire is_lock = wb_adr_i == 32'h18;

  wire err = ~(is_bank | (is_refused & ~wb_we_i) | is_busy | is_lock);
  wire rty = is_busy & lock;

  always @(posedge clk_i)
    if (rst_i) begin
      {wb_ack_o, wb_err_o, wb_rty_o} <= 3'b000;
      wb_dat_o   <= 32'd0;
      refused    <= 32'd0;
      busy_value <= 32'd0;
      lock       <= 1'b1;
      bank[0]    <= 32'd0;
      bank[1]    <= 32'd0;
      bank[2]    <= 32'd0;
      bank[3]    <= 32'd0;
    end else begin
      {wb_ack_o, wb_err_o, wb_rty_o} <= {3{access}} & {~err & ~rty, err, rty};
      if (access & (err | rty)) refused <= refused + 1'b1;
      if (access & wb_we_i & ~err & ~rty) begin
        if (is_bank) bank[wb_adr_i[3:2]] <= wb_dat_i;
        if (is_busy) busy_value <= wb_dat_i;
        if (is_lock) lock <= wb_dat_i[0];
      end
      wb_dat_o <= is_bank ? bank[wb_adr_i[3:2]] : is_refused ? refused : is_busy ? busy_value : {31'd0, lock};
    end
endmodule
