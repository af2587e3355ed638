// Pulse-width modulator with a 16-bit bus whose address is declared without its lowest bit: one 16-bit register
// behind each 32-bit word of the bench. A counter measures what really comes out.
//
//   0x00 PERIOD   r/w    clocks of a period
//   0x04 DUTY0    r/w    clocks at 1 in each period, channel 0
//   0x08 DUTY1    r/w    channel 1
//   0x0C HIGH0    read   clocks at 1 in the last whole period, channel 0
//   0x10 HIGH1    read   channel 1
module pwm (
    input  wire        wb_clk,
    input  wire        wb_rst,
    input  wire        wb_cyc_in,
    input  wire        wb_stb_in,
    input  wire        wb_we_in,
    input  wire [ 3:1] wb_adr_in,
    input  wire [15:0] wb_dat_in,
    input  wire [ 1:0] wb_sel_in,
    output reg  [15:0] wb_dat_out,
    output wire        wb_ack_out,
    output wire [ 1:0] pwm_out
);
  reg [15:0] period, duty0, duty1, high0, high1, sum0, sum1, phase;
  wire last = phase >= period;

  assign pwm_out = {phase <= duty1, phase <= duty0};

  // Combinational acknowledge: the word is there in the clock that asks for it.
  assign wb_ack_out = wb_cyc_in & wb_stb_in;
  wire write = wb_ack_out & wb_we_in;

  always @(*)
    case (wb_adr_in)
      3'd0: wb_dat_out = period;
      3'd1: wb_dat_out = duty0;
      3'd2: wb_dat_out = duty1;
      3'd3: wb_dat_out = high0;
      3'd4: wb_dat_out = high1;
      default: wb_dat_out = 16'd0;
    endcase

  always @(posedge wb_clk)
    if (wb_rst) begin
      period <= 16'd0;
      duty0  <= 16'd0;
      duty1  <= 16'd0;
      high0  <= 16'd0;
      high1  <= 16'd0;
      sum0   <= 16'd0;
      sum1   <= 16'd0;
      phase  <= 16'd1;
    end else begin
      // The phase counts from 1 to the period, so that a duty of the whole period is always on.
      phase <= last ? 16'd1 : phase + 1'b1;
      if (last) begin
        high0 <= sum0 + (phase <= duty0);
        high1 <= sum1 + (phase <= duty1);
        sum0  <= 16'd0;
        sum1  <= 16'd0;
      end else begin
        sum0 <= sum0 + (phase <= duty0);
        sum1 <= sum1 + (phase <= duty1);
      end
      if (write)
        case (wb_adr_in)
          3'd0: period <= wb_dat_in;
          3'd1: duty0 <= wb_dat_in;
          3'd2: duty1 <= wb_dat_in;
          default: ;
        endcase
    end
endmodule
