// Functions with return, loops with ++ and +=, operators of assignment, inside and conditions over wildcards.
// Wishbone slave: module bit_functions, 32-bit data, classic handshake, reset active high
// ports: ack = wb_ack_o, cyc = wb_cyc_i, stb = wb_stb_i, we = wb_we_i, adr = wb_adr_i, dat_w = wb_dat_i, dat_r = wb_dat_o, clk = clk_i, rst = reset_i
// addresses: byte
module bit_functions (
  input logic clk_i, input logic reset_i, input logic wb_cyc_i, input logic wb_stb_i, input logic wb_we_i,
  input logic [7:0] wb_adr_i, input logic [31:0] wb_dat_i, output logic [31:0] wb_dat_o, output logic wb_ack_o
);
  logic [31:0] operand;

  function automatic logic [5:0] ones(input logic [31:0] word);
    logic [5:0] sum = '0;
    for (int i = 0; i < 32; i++) sum += 6'(word[i]);
    return sum;
  endfunction

  function automatic logic [5:0] leading_zeros(input logic [31:0] word);
    for (int i = 31; i >= 0; i--)
      if (word[i]) return 6'(31 - i);
    return 6'd32;
  endfunction

  function automatic logic [31:0] reversed(input logic [31:0] word);
    foreach (word[i]) reversed[31 - i] = word[i];
  endfunction

  function automatic logic is_letter(input logic [7:0] code);
    return code inside {[8'h41:8'h5A], [8'h61:8'h7A]};
  endfunction

  always_ff @(posedge clk_i) begin
    wb_ack_o <= wb_cyc_i & wb_stb_i & ~wb_ack_o & ~reset_i;
    if (wb_cyc_i & wb_stb_i & wb_we_i & (wb_adr_i[7:2] == '0)) operand <= wb_dat_i;
  end
  always_comb begin
    wb_dat_o = operand;
    priority case (1'b1)
      wb_adr_i[4:2] == 3'd1: wb_dat_o = 32'(ones(operand));
      wb_adr_i[4:2] == 3'd2: wb_dat_o = 32'(leading_zeros(operand));
      wb_adr_i[4:2] == 3'd3: wb_dat_o = reversed(operand);
      wb_adr_i[4:2] == 3'd4: wb_dat_o = 32'(is_letter(operand[7:0]));
      wb_adr_i[4:2] == 3'd5: wb_dat_o = 32'(operand ==? 32'hxxxx_00xx);
      default: ;
    endcase
  end
endmodule
