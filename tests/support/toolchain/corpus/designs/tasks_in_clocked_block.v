// Reads and writes are tasks that a clocked block calls.
// Wishbone slave: module task_registers, 32-bit data, classic handshake, reset active high
// ports: ack = wb_ack, cyc = wb_cyc, stb = wb_stb, we = wb_we, adr = wb_adr, dat_w = wb_wdata, dat_r = wb_rdata, clk = sys_clk, rst = sys_rst
// addresses: byte
module task_registers (
  input sys_clk, input sys_rst, input wb_cyc, input wb_stb, input wb_we, input [9:0] wb_adr, input [31:0] wb_wdata,
  output reg [31:0] wb_rdata, output reg wb_ack
);
  reg [31:0] control, limit, total;

  task write_register;
    input [9:0] address;
    input [31:0] value;
    begin
      case (address)
        10'h000: control <= value;
        10'h004: limit <= value;
        10'h008: total <= 0;
      endcase
    end
  endtask

  task read_register;
    input [9:0] address;
    output [31:0] value;
    begin
      if (address == 10'h000) value = control;
      else if (address == 10'h004) value = limit;
      else if (address == 10'h008) value = total;
      else value = 32'h0;
    end
  endtask

  always @(posedge sys_clk) begin : bus
    reg [31:0] found;
    wb_ack <= 0;
    if (control[0] && total < limit) total <= total + control[15:8];
    if (wb_cyc && wb_stb && !wb_ack) begin
      wb_ack <= 1;
      if (wb_we) write_register(wb_adr, wb_wdata);
      else begin
        read_register(wb_adr, found);
        wb_rdata <= found;
      end
    end
    if (sys_rst) begin
      control <= 0; limit <= 32'hFFFF; total <= 0; wb_ack <= 0;
    end
  end
endmodule
