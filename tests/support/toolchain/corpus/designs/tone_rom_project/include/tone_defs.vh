`ifndef TONE_DEFS_VH
`define TONE_DEFS_VH
`define SAMPLE_BITS 8
`define REG_STEP 8'h00
`define REG_PHASE 8'h04
`define REG_SAMPLE 8'h08
`endif
