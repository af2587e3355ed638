// Drives the base SoC from a file of stimuli and prints what it does: bytes of its line (T), transfers of the
// bus (R, W), refusals (E), broken rules of the bus (V), clocks (C).
`timescale 1ns/1ps
`include "wishbench_parameters.vh"

// A slave with every temper that designs have, chosen by the top bits of the word address.
module wishbench_user (
`ifdef WISHBENCH_PINS_IN
    input [`WISHBENCH_PINS_IN-1:0] pins_to_design, output [`WISHBENCH_PINS_OUT-1:0] pins_from_design,
`endif
    input clk, input rst, input wb_cyc, input wb_stb, input wb_we, input [29:0] wb_adr,
    input [31:0] wb_dat_w, input [3:0] wb_sel,
    output reg [31:0] wb_dat_r, output wb_ack, output wb_err
);
  localparam REGISTERED = 0, COMBINATIONAL = 1, REFUSING = 2, MUTE = 3, SLOW = 4, COUNTING = 5, LINGERING = 6,
             FALLING = 7, BOTH = 8;
  wire [3:0] temper = wb_adr[29:26];
  wire       access = wb_cyc & wb_stb;
  reg [31:0] memory [0:1023];
  reg [31:0] counter = 0;
  reg [15:0] waited = 0;
  reg        registered = 0, before = 0, falling = 0, held = 0;
  reg [62:0] asked = 0, asked_before = 0;
  integer    i;
`ifdef WISHBENCH_PINS_IN
  // What it gets, twice a counter that never stands still, and a pulse of one clock for each word that is written.
  wire        pulse = wb_cyc & wb_stb & wb_we & wb_ack;
  reg  [10:0] running = 0;
  always @(posedge clk) running <= running + 1;
  assign pins_from_design = {~pulse, pulse, running, running, pins_to_design};
`endif
  initial for (i = 0; i < 1024; i = i + 1) memory[i] = 0;

  assign wb_err = access & (temper == REFUSING | (temper == BOTH & registered));
  assign wb_ack = (temper == COMBINATIONAL & access) | (temper == FALLING & falling)
      | (temper == LINGERING & (registered | before)) | (temper == SLOW & access & waited == wb_adr[15:0])
      | (temper != COMBINATIONAL & temper != REFUSING & temper != MUTE & temper != SLOW & temper != FALLING
         & temper != LINGERING & registered);

  always @* wb_dat_r = temper == COUNTING ? counter : memory[wb_adr[9:0]];
  always @(negedge clk) falling <= access & temper == FALLING;
  always @(posedge clk) begin
    registered <= access & ~registered & ~wb_err & temper != MUTE;
    before <= registered;
    waited <= access ? waited + 1 : 0;
    asked = {wb_we, wb_adr, wb_dat_w};
    if (access & held & asked !== asked_before) $display("V the request changed before it was answered");
    if (access & ~wb_we & wb_sel !== 4'b1111) $display("V sel");
    // While the host itself holds the design in reset, what it then asks of it is its own affair.
    if (rst & access & ~bench.top.design_reset) $display("V access in reset");
    if (access & (wb_ack | wb_err)) begin
      if (wb_err) $display("E %08x", {wb_adr, 2'b00});
      else if (wb_we) begin
        if (wb_sel === 4'b1111) $display("W %08x %08x", {wb_adr, 2'b00}, wb_dat_w);
        else $display("W %08x %08x %x", {wb_adr, 2'b00}, wb_dat_w, wb_sel);
        for (i = 0; i < 4; i = i + 1) if (wb_sel[i]) memory[wb_adr[9:0]][8*i+:8] <= wb_dat_w[8*i+:8];
      end else begin
        $display("R %08x %08x", {wb_adr, 2'b00}, wb_dat_r);
        if (temper == COUNTING) counter <= counter + 1;
      end
    end
    held <= access & ~(wb_ack | wb_err);
    asked_before <= asked;
  end
  // The answered request is gone for at least one clock.
  reg answered = 0;
  always @(posedge clk) begin
    if (answered & access) $display("V no idle clock between transfers");
    answered <= access & (wb_ack | wb_err);
  end
endmodule

module bench;
  // A real, or it would be an integer: 8 1/3 clocks a bit must stay that.
  real clock_ns, bit_ns;
  reg  clk = 0;
  reg  rx = 1;
  wire tx;
  integer clocks = 0;
  initial clock_ns = 1.0e9 / `WISHBENCH_CLOCK_HZ;
  always begin #(clock_ns / 2) clk = ~clk; end
  always @(posedge clk) clocks = clocks + 1;

`ifdef WISHBENCH_LEDS
  wire [`WISHBENCH_LEDS-1:0] leds;
  wishbench_top top (.clk(clk), .rx(rx), .tx(tx), .leds(leds));
`else
  wishbench_top top (.clk(clk), .rx(rx), .tx(tx));
`endif

`ifdef WISHBENCH_PROBES
  // What the capture core sees: the bus, and above it a counter that never stands still. Its block RAM begins as one does.
  reg [61:0] life = 0;
  integer    place;
  always @(posedge clk) life <= life + 1;
  assign top.probes = {life, top.wb_we, top.wb_cyc};
  initial for (place = 0; place < (1 << `WISHBENCH_CAPTURE_DEPTH_LOG2); place = place + 1) top.capture.memory[place] = 0;
`endif

  task send(input [7:0] value, input stop);
    integer k;
    begin
      rx = 0;
      #(bit_ns);
      for (k = 0; k < 8; k = k + 1) begin
        rx = value[k];
        #(bit_ns);
      end
      rx = stop;
      #(bit_ns);
      rx = 1;
    end
  endtask

  // Silence: once nothing is under way any more, only the bridge's counter goes on, and it is put ahead.
  task be_silent(input integer left);
    integer ahead;
    while (left > 0) begin
      #(clock_ns * 600);
      left = left - 600;
      @(negedge clk);
      ahead = 65536 - top.bridge.clocks - 400;
      if (ahead > left - 600) ahead = left - 600;
      if (ahead > 0 && clocks - last_activity > 500 && !top.rx_valid && !top.bridge.rx_full) begin
        if (top.bridge.waiting) top.bridge.clocks = top.bridge.clocks + ahead;
        left = left - ahead;
      end
      #(clock_ns * 0.3);
    end
  endtask

  // The host's receiver, at the host's line rate to the letter.
  reg [7:0] got;
  integer   j;
  real      line_ns;
  initial line_ns = 1.0e9 / `WISHBENCH_BAUD;
  always begin
    @(negedge tx);
    #(line_ns / 2);
    if (tx) $display("V start bit");
    for (j = 0; j < 8; j = j + 1) begin
      #(line_ns);
      got[j] = tx;
    end
    #(line_ns);
    if (!tx) $display("V stop bit");
    $display("T %02x", got);
  end

  integer file, fields, last_activity;
  reg [31:0] value;
  reg [8*16-1:0] word;
  real rate;
  always @(tx) last_activity = clocks;
  always @(posedge clk) if (top.wb_cyc) last_activity = clocks;

  initial begin
    last_activity = 0;
    bit_ns = 1.0e9 / `WISHBENCH_BAUD;
    file = $fopen("stimuli.txt", "r");
    #(clock_ns * 20.3);
    while ($fscanf(file, "%s %h\n", word, value) == 2) begin
      case (word)
        "byte": send(value[7:0], 1'b1);
        "broken": begin send(value[7:0], 1'b0); #(bit_ns); end
        "glitch": begin rx = 0; #(clock_ns); rx = 1; #(bit_ns * 12); end
        "low": begin rx = 0; #(clock_ns * value); rx = 1; #(bit_ns * 2); end
        "gap": #(clock_ns * value);
        // As a gap of so many clocks, of which most are not simulated: the bridge's counter alone goes on in them.
        "silence": be_silent(value);
        "rate": bit_ns = 1.0e9 / `WISHBENCH_BAUD * value / 1000.0; // thousandths of a bit
        // From now on the host sends and receives at so many clocks a bit.
        "host": begin line_ns = clock_ns * value; bit_ns = line_ns; end
        // Until nothing has happened for so many clocks.
        "settle": begin last_activity = clocks; while (clocks - last_activity < value) @(posedge clk); end
        "clocks": $display("C %0d", clocks);
`ifdef WISHBENCH_LEDS
        "leds": $display("L %02x", leds);
`endif
        // Records every change in so many clocks of the real parts, the slave above left out.
        "watch": begin
          $dumpfile("idle.vcd");
          $dumpvars(0, top.receiver, top.fifo, top.bridge, top.age, top.damaged);
`ifdef WISHBENCH_PROBES
          $dumpvars(0, top.capture.armed, top.capture.running, top.capture.chain, top.capture.at, top.capture.waited,
                    top.capture.seen, top.capture.kept, top.capture.loading, top.capture.part, top.capture.behind);
`endif
          #(clock_ns * value);
          $dumpoff;
        end
        default: $display("V unknown stimulus %0s", word);
      endcase
    end
    $finish;
  end
endmodule
