// Word addresses of the registers; `include`d by what answers the bus and by the testbench.
`ifndef TONE_REGISTERS
`define TONE_REGISTERS
`define REG_STEP   2'd0  // r/w   added to the phase every clock; 0 stands still
`define REG_PHASE  2'd1  // r/w   the upper 8 bits are the place in the table
`define REG_SAMPLE 2'd2  // read  the table's value at the phase, 0 to 255
`define REG_PEAK   2'd3  // r/w   the largest sample since it was written
`endif
