import type { SourceLanguage } from './tokens.ts';

const words = (text: string): readonly string[] => text.trim().split(/\s+/);

/** Keywords that a design for an FPGA uses. */
export const KEYWORDS: Readonly<Record<SourceLanguage, readonly string[]>> = {
  verilog: words(`
    always always_comb always_ff always_latch assign automatic begin break bit byte case casex casez const continue
    default defparam do else end endcase endfunction endgenerate endinterface endmodule endpackage endtask enum
    export extern final for foreach forever fork function generate genvar if import initial inout input inside int
    integer interface join localparam logic longint macromodule modport module negedge output package packed
    parameter posedge priority program real reg repeat return shortint signed struct supply0 supply1 task time tri
    typedef union unique unsigned var void wait wand while wire wor and or not nand nor xor xnor buf endprogram`),
  vhdl: words(`
    abs access after alias all and architecture array assert attribute begin block body buffer bus case component
    configuration constant disconnect downto else elsif end entity exit file for function generate generic group
    guarded if impure in inertial inout is label library linkage literal loop map mod nand new next nor not null of
    on open or others out package port postponed procedure process pure range record register reject rem report
    return rol ror select severity shared signal sla sll sra srl subtype then to transport type unaffected units
    until use variable wait when while with xnor xor`),
  python: words(`
    and as assert async await break class continue def del elif else except finally for from global if import in is
    lambda nonlocal not or pass raise return try while with yield True False None self`),
};
