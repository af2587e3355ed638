// A UART bridge to a bus with 512 words of memory behind it, small enough to measure the fabric with:
// uartbone's frames without its error handling. 8N1 at clk / DIV.
module bridge #(parameter DIV = 12) (input clk, input rx, output tx);
  reg [3:0] power_up = 0;
  wire      rst = ~power_up[3];
  always @(posedge clk) if (rst) power_up <= power_up + 1;

  // Receiver: waits half a bit after the start edge, then samples in the middle of each bit.
  reg [1:0] sync = 3;
  reg [7:0] rx_shift = 0, rx_wait = 0;
  reg [3:0] rx_bits = 0;
  reg       rx_done = 0;
  always @(posedge clk) begin
    sync <= {sync[0], rx};
    rx_done <= 0;
    if (rx_bits == 0) begin
      if (!sync[1]) begin
        rx_bits <= 10;
        rx_wait <= DIV / 2;
      end
    end else if (rx_wait != 0) rx_wait <= rx_wait - 1;
    else begin
      rx_wait <= DIV - 1;
      rx_bits <= rx_bits - 1;
      if (rx_bits != 10 && rx_bits != 1) rx_shift <= {sync[1], rx_shift[7:1]};
      if (rx_bits == 1) rx_done <= 1;
    end
  end

  // Transmitter.
  reg [9:0] tx_shift = 10'h3ff;
  reg [7:0] tx_wait = 0, tx_byte = 0;
  reg [3:0] tx_bits = 0;
  reg       tx_start = 0;
  wire      tx_busy = tx_bits != 0 | tx_start;
  assign tx = tx_shift[0];
  always @(posedge clk)
    if (tx_bits == 0) begin
      if (tx_start) begin
        tx_shift <= {1'b1, tx_byte, 1'b0};
        tx_bits <= 10;
        tx_wait <= DIV - 1;
      end
    end else if (tx_wait != 0) tx_wait <= tx_wait - 1;
    else begin
      tx_wait <= DIV - 1;
      tx_shift <= {1'b1, tx_shift[9:1]};
      tx_bits <= tx_bits - 1;
    end

  // Frames: command (1 write, 2 read), words, address (4 bytes), then data.
  localparam COMMAND = 0, LENGTH = 1, ADDRESS = 2, TAKE = 3, WRITE = 4, READ = 5, SEND = 6;
  reg [2:0]  state = COMMAND;
  reg [1:0]  count = 0;
  reg [7:0]  command = 0, left = 0;
  reg [31:0] address = 0, data = 0;
  reg        cyc = 0;
  wire       ack;
  wire [31:0] answer;
  always @(posedge clk) begin
    tx_start <= 0;
    if (rst) begin
      state <= COMMAND;
      cyc <= 0;
    end else
      case (state)
        COMMAND: if (rx_done) begin
          command <= rx_shift;
          state <= LENGTH;
        end
        LENGTH: if (rx_done) begin
          left <= rx_shift;
          count <= 0;
          state <= ADDRESS;
        end
        ADDRESS: if (rx_done) begin
          address <= {address[23:0], rx_shift};
          count <= count + 1;
          if (count == 3) state <= command == 1 ? TAKE : READ;
        end
        TAKE: if (rx_done) begin
          data <= {data[23:0], rx_shift};
          count <= count + 1;
          if (count == 3) begin
            state <= WRITE;
            cyc <= 1;
          end
        end
        WRITE: if (ack) begin
          cyc <= 0;
          address <= address + 1;
          left <= left - 1;
          state <= left == 1 ? COMMAND : TAKE;
        end
        READ: begin
          cyc <= ~(cyc & ack);
          if (cyc & ack) begin
            data <= answer;
            count <= 0;
            state <= SEND;
          end
        end
        SEND: if (!tx_busy) begin
          tx_byte <= data[31:24];
          data <= {data[23:0], 8'h0};
          tx_start <= 1;
          count <= count + 1;
          if (count == 3) begin
            address <= address + 1;
            left <= left - 1;
            state <= left == 1 ? COMMAND : READ;
          end
        end
        default: state <= COMMAND;
      endcase
  end

  echo_memory memory (
    .clk(clk), .rst(rst), .cyc(cyc), .we(command == 1), .adr(address[8:0]),
    .dat_w(data), .dat_r(answer), .ack(ack)
  );
endmodule

module echo_memory (
  input clk, input rst, input cyc, input we, input [8:0] adr, input [31:0] dat_w,
  output reg [31:0] dat_r, output reg ack
);
  reg [31:0] words [0:511];
  initial ack = 0;
  always @(posedge clk) begin
    ack <= ~rst & cyc & ~ack;
    if (cyc & we & ~ack) words[adr] <= dat_w;
    dat_r <= words[adr];
  end
endmodule
