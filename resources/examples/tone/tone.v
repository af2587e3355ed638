// Tone: a sine from a table, at the pitch that software sets. The top of a project of several files: the registers are
// named in include/registers.vh, the oscillator and the table lie in rtl/, the samples in data/sine.hex.
//
//   0x00 STEP    r/w    added to the phase every clock; 0 stands still
//   0x04 PHASE   r/w    the upper 8 bits are the place in the table
//   0x08 SAMPLE  read   the table's value at the phase, 0 to 255
//   0x0C PEAK    r/w    the largest sample since it was written
`include "registers.vh"

module tone (
    input  wire        clk,
    input  wire        rst,
    input  wire        wb_cyc,
    input  wire        wb_stb,
    input  wire        wb_we,
    input  wire [ 1:0] wb_adr,
    input  wire [31:0] wb_dat_w,
    input  wire [ 3:0] wb_sel,
    output reg  [31:0] wb_dat_r,
    output reg         wb_ack
);
  reg  [31:0] step;
  reg  [ 7:0] peak;
  wire [31:0] phase;
  wire [ 7:0] sample;

  wire access = wb_cyc & wb_stb & ~wb_ack;
  wire write = access & wb_we;

  oscillator oscillator (
      .clk  (clk),
      .rst  (rst),
      .step (step),
      .load (write & (wb_adr == `REG_PHASE)),
      .value(wb_dat_w),
      .phase(phase)
  );

  wave_table #(
      .CONTENTS("data/sine.hex")
  ) wave_table (
      .clk   (clk),
      .place (phase[31:24]),
      .sample(sample)
  );

  always @(posedge clk)
    if (rst) begin
      wb_ack <= 1'b0;
      wb_dat_r <= 32'd0;
      step <= 32'd0;
      peak <= 8'd0;
    end else begin
      wb_ack <= access;
      if (sample > peak) peak <= sample;
      if (write)
        case (wb_adr)
          `REG_STEP: step <= wb_dat_w;
          `REG_PEAK: peak <= wb_dat_w[7:0];
          default: ;
        endcase
      case (wb_adr)
        `REG_STEP:   wb_dat_r <= step;
        `REG_PHASE:  wb_dat_r <= phase;
        `REG_SAMPLE: wb_dat_r <= {24'd0, sample};
        `REG_PEAK:   wb_dat_r <= {24'd0, peak};
      endcase
    end

  wire unused = &{1'b0, wb_sel};
endmodule
