// A UART with two FIFOs: data, status, divisor low and high at four indexes.
// Wishbone slave: module uart_top, 8-bit data, classic handshake, reset active high
// ports: ack = wb_ack_o, cyc = wb_cyc_i, stb = wb_stb_i, we = wb_we_i, adr = wb_adr_i, dat_w = wb_dat_i, dat_r = wb_dat_o, clk = wb_clk_i, rst = wb_rst_i
// addresses: word
module uart_top (
  input wb_clk_i, input wb_rst_i,
  input [1:0] wb_adr_i, input [7:0] wb_dat_i, output reg [7:0] wb_dat_o,
  input wb_we_i, input wb_stb_i, input wb_cyc_i, output reg wb_ack_o,
  input srx_pad_i, output stx_pad_o, output int_o
);
  reg [15:0] divisor;
  wire access = wb_cyc_i && wb_stb_i && !wb_ack_o;
  wire write = access && wb_we_i, read = access && !wb_we_i;
  wire [7:0] rx_data, tx_head, rx_head;
  wire rx_valid, tx_empty, tx_full, rx_empty, rx_full, tx_ready;

  uart_fifo #(.DEPTH_LOG2(4)) tx_fifo (.clk(wb_clk_i), .rst(wb_rst_i), .push(write && wb_adr_i == 0), .din(wb_dat_i),
    .pop(tx_ready && !tx_empty), .dout(tx_head), .empty(tx_empty), .full(tx_full));
  uart_fifo #(.DEPTH_LOG2(4)) rx_fifo (.clk(wb_clk_i), .rst(wb_rst_i), .push(rx_valid), .din(rx_data),
    .pop(read && wb_adr_i == 0), .dout(rx_head), .empty(rx_empty), .full(rx_full));
  uart_transmitter transmitter (.clk(wb_clk_i), .rst(wb_rst_i), .divisor(divisor), .data(tx_head), .valid(!tx_empty),
    .ready(tx_ready), .tx(stx_pad_o));
  uart_receiver receiver (.clk(wb_clk_i), .rst(wb_rst_i), .divisor(divisor), .rx(srx_pad_i), .data(rx_data), .valid(rx_valid));

  always @(posedge wb_clk_i) begin
    wb_ack_o <= access;
    if (write && wb_adr_i == 2) divisor[7:0] <= wb_dat_i;
    if (write && wb_adr_i == 3) divisor[15:8] <= wb_dat_i;
    case (wb_adr_i)
      2'd0: wb_dat_o <= rx_head;
      2'd1: wb_dat_o <= {4'b0, rx_full, rx_empty, tx_full, tx_empty};
      2'd2: wb_dat_o <= divisor[7:0];
      2'd3: wb_dat_o <= divisor[15:8];
    endcase
    if (wb_rst_i) begin wb_ack_o <= 0; divisor <= 16'd103; end
  end
  assign int_o = !rx_empty;
endmodule

module uart_fifo #(parameter DEPTH_LOG2 = 3, parameter WIDTH = 8) (
  input clk, rst, push, pop, input [WIDTH-1:0] din, output [WIDTH-1:0] dout, output empty, full
);
  reg [WIDTH-1:0] store [0:(1 << DEPTH_LOG2) - 1];
  reg [DEPTH_LOG2:0] head, tail;
  assign empty = head == tail;
  assign full = head[DEPTH_LOG2-1:0] == tail[DEPTH_LOG2-1:0] && head[DEPTH_LOG2] != tail[DEPTH_LOG2];
  assign dout = store[tail[DEPTH_LOG2-1:0]];
  always @(posedge clk)
    if (rst) begin head <= 0; tail <= 0; end
    else begin
      if (push && !full) begin store[head[DEPTH_LOG2-1:0]] <= din; head <= head + 1'b1; end
      if (pop && !empty) tail <= tail + 1'b1;
    end
endmodule

module uart_transmitter (input clk, rst, input [15:0] divisor, input [7:0] data, input valid, output ready, output tx);
  reg [15:0] wait_count;
  reg [3:0] bits;
  reg [9:0] shift;
  assign ready = bits == 0;
  assign tx = bits == 0 ? 1'b1 : shift[0];
  always @(posedge clk)
    if (rst) bits <= 0;
    else if (bits == 0) begin
      if (valid) begin bits <= 10; shift <= {1'b1, data, 1'b0}; wait_count <= divisor; end
    end else if (wait_count == 0) begin
      wait_count <= divisor; shift <= shift >> 1; bits <= bits - 1'b1;
    end else wait_count <= wait_count - 1'b1;
endmodule

module uart_receiver (input clk, rst, input [15:0] divisor, input rx, output reg [7:0] data, output reg valid);
  reg [15:0] wait_count;
  reg [3:0] bits;
  reg [1:0] sync;
  always @(posedge clk) begin
    sync <= {sync[0], rx};
    valid <= 0;
    if (rst) bits <= 0;
    else if (bits == 0) begin
      if (!sync[1]) begin bits <= 9; wait_count <= {1'b0, divisor[15:1]} + divisor; end
    end else if (wait_count == 0) begin
      wait_count <= divisor;
      bits <= bits - 1'b1;
      if (bits == 1) valid <= sync[1];
      else data <= {sync[1], data[7:1]};
    end else wait_count <= wait_count - 1'b1;
  end
endmodule
