// As Migen writes it: registers with values at the start, the reset at the end of each block, one process for what has no clock.
// Wishbone slave: module bus_csr, 32-bit data, classic handshake, reset active high
// ports: ack = bus_ack, cyc = bus_cyc, stb = bus_stb, we = bus_we, adr = bus_adr, dat_w = bus_dat_w, dat_r = bus_dat_r, sel = bus_sel, err = bus_err, clk = sys_clk, rst = sys_rst
// addresses: word
module bus_csr(
	input  wire [29:0] bus_adr,
	input  wire [31:0] bus_dat_w,
	output reg  [31:0] bus_dat_r,
	input  wire [3:0] bus_sel,
	input  wire bus_cyc,
	input  wire bus_stb,
	output reg  bus_ack,
	input  wire bus_we,
	input  wire [2:0] bus_cti,
	input  wire [1:0] bus_bte,
	output wire bus_err,
	input  wire sys_clk,
	input  wire sys_rst,
	output wire [3:0] user_led
);

reg [31:0] scratch_storage = 32'd305419896;
reg scratch_re = 1'd0;
reg [3:0] leds_storage = 4'd0;
reg [31:0] bus_errors_status = 32'd0;
reg state = 1'd0;
reg next_state = 1'd0;
reg access = 1'd0;

// synthesis translate_off
reg dummy_s;
initial dummy_s <= 1'd0;
// synthesis translate_on

assign bus_err = 1'd0;
assign user_led = leds_storage;

always @(*) begin
	bus_ack <= 1'd0;
	access <= 1'd0;
	next_state <= 1'd0;
	next_state <= state;
	case (state)
		1'd1: begin
			bus_ack <= 1'd1;
			next_state <= 1'd0;
		end
		default: begin
			if ((bus_cyc & bus_stb)) begin
				access <= 1'd1;
				next_state <= 1'd1;
			end
		end
	endcase
end

always @(posedge sys_clk) begin
	state <= next_state;
	scratch_re <= 1'd0;
	if (access) begin
		bus_dat_r <= 1'd0;
		case (bus_adr[1:0])
			1'd0: bus_dat_r <= scratch_storage;
			1'd1: bus_dat_r <= leds_storage;
			2'd2: bus_dat_r <= bus_errors_status;
		endcase
		if (bus_we) begin
			scratch_re <= (bus_adr[1:0] == 1'd0);
			if ((bus_adr[1:0] == 1'd0)) begin
				scratch_storage <= bus_dat_w;
			end
			if ((bus_adr[1:0] == 1'd1)) begin
				leds_storage <= bus_dat_w[3:0];
			end
		end
		if ((bus_adr[1:0] == 2'd3)) begin
			if ((bus_errors_status != 32'd4294967295)) begin
				bus_errors_status <= (bus_errors_status + 1'd1);
			end
		end
	end
	if (sys_rst) begin
		scratch_storage <= 32'd305419896;
		leds_storage <= 4'd0;
		bus_errors_status <= 32'd0;
		state <= 1'd0;
		bus_dat_r <= 32'd0;
	end
end

endmodule
