// As SpinalHDL writes it: upper-case names of the bus behind io_bus, wires for every condition.
// Wishbone slave: module WishboneTimer, 32-bit data, classic handshake, reset active high
// ports: ack = io_bus_ACK, cyc = io_bus_CYC, stb = io_bus_STB, we = io_bus_WE, adr = io_bus_ADR, dat_w = io_bus_DAT_MOSI, dat_r = io_bus_DAT_MISO, sel = io_bus_SEL, clk = clk, rst = reset
// addresses: word
`timescale 1ns/1ps
module WishboneTimer (
  input  wire          io_bus_CYC,
  input  wire          io_bus_STB,
  output reg           io_bus_ACK,
  input  wire          io_bus_WE,
  input  wire [9:0]    io_bus_ADR,
  output reg  [31:0]   io_bus_DAT_MISO,
  input  wire [31:0]   io_bus_DAT_MOSI,
  input  wire [3:0]    io_bus_SEL,
  output wire          io_interrupt,
  input  wire          clk,
  input  wire          reset
);
  wire       [31:0]   _zz_counter_1;
  wire       [0:0]    _zz_counter_2;
  reg        [31:0]   counter_1;
  reg        [31:0]   limit;
  reg                 enable;
  reg                 pending;
  wire                when_Timer_l24;
  wire                when_Timer_l31;
  wire                busCtrl_doWrite;
  wire                busCtrl_doRead;

  assign _zz_counter_2 = enable;
  assign _zz_counter_1 = {31'd0, _zz_counter_2};
  assign busCtrl_doWrite = (((io_bus_CYC && io_bus_STB) && io_bus_ACK) && io_bus_WE);
  assign busCtrl_doRead = (((io_bus_CYC && io_bus_STB) && io_bus_ACK) && (! io_bus_WE));
  assign when_Timer_l24 = (counter_1 == limit);
  assign when_Timer_l31 = (io_bus_CYC && io_bus_STB);
  assign io_interrupt = pending;
  always @(*) begin
    io_bus_DAT_MISO = 32'h0;
    case(io_bus_ADR)
      10'h0 : begin
        io_bus_DAT_MISO[0 : 0] = enable;
      end
      10'h001 : begin
        io_bus_DAT_MISO[31 : 0] = limit;
      end
      10'h002 : begin
        io_bus_DAT_MISO[31 : 0] = counter_1;
      end
      10'h003 : begin
        io_bus_DAT_MISO[0 : 0] = pending;
      end
      default : begin
      end
    endcase
  end

  always @(posedge clk or posedge reset) begin
    if(reset) begin
      io_bus_ACK <= 1'b0;
      counter_1 <= 32'h0;
      limit <= 32'h0;
      enable <= 1'b0;
      pending <= 1'b0;
    end else begin
      io_bus_ACK <= (when_Timer_l31 && (! io_bus_ACK));
      counter_1 <= (counter_1 + _zz_counter_1);
      if(when_Timer_l24) begin
        counter_1 <= 32'h0;
        if(enable) begin
          pending <= 1'b1;
        end
      end
      case(io_bus_ADR)
        10'h0 : begin
          if(busCtrl_doWrite) begin
            enable <= io_bus_DAT_MOSI[0];
          end
        end
        10'h001 : begin
          if(busCtrl_doWrite) begin
            limit <= io_bus_DAT_MOSI[31 : 0];
          end
        end
        10'h003 : begin
          if(busCtrl_doRead) begin
            pending <= 1'b0;
          end
        end
        default : begin
        end
      endcase
    end
  end
endmodule
