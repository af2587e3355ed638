// Packed arrays of several dimensions: a matrix of cells that shifts.
// Wishbone slave: module matrix_display, 32-bit data, classic handshake, reset active low
// ports: ack = wb_ack, cyc = wb_cyc, stb = wb_stb, we = wb_we, adr = wb_addr, dat_w = wb_wdata, dat_r = wb_rdata, clk = clk, rst = reset_n
// addresses: byte
module matrix_display #(parameter ROWS = 4, COLUMNS = 8) (
  input logic clk, input logic reset_n, input logic wb_cyc, wb_stb, wb_we, input logic [4:0] wb_addr,
  input logic [31:0] wb_wdata, output logic [31:0] wb_rdata, output logic wb_ack, output logic [ROWS-1:0] row, output logic [COLUMNS-1:0] column
);
  logic [ROWS-1:0][COLUMNS-1:0][1:0] cells;
  logic [$clog2(ROWS)-1:0] scan;
  logic [11:0] phase;
  always_ff @(posedge clk, negedge reset_n)
    if (!reset_n) begin
      cells <= '0;
      {scan, phase} <= '0;
      wb_ack <= 1'b0;
    end else begin
      {scan, phase} <= {scan, phase} + 1'b1;
      wb_ack <= wb_cyc && wb_stb && !wb_ack;
      if (wb_cyc && wb_stb && wb_we && !wb_ack) begin
        if (wb_addr[4]) cells <= {cells[ROWS-2:0], cells[ROWS-1]};
        else cells[wb_addr[3:2]] <= wb_wdata[2*COLUMNS-1:0];
      end
    end
  always_comb begin
    row = '0;
    row[scan] = 1'b1;
    for (int c = 0; c < COLUMNS; c++) column[c] = cells[scan][c] > phase[11:10];
  end
  assign wb_rdata = 32'(cells[wb_addr[3:2]]);
endmodule
