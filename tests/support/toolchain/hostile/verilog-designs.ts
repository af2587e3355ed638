import { type Bait, category, type HostileDesign } from './design.ts';

const PORTS = `(
  input clk, input rst, input wb_cyc, input wb_stb, input wb_we, input [29:0] wb_adr,
  input [31:0] wb_dat_w, input [3:0] wb_sel, output [31:0] wb_dat_r, output reg wb_ack)`;

/** A slave that answers with what `mem` holds, around declarations of a design. */
const slave = (body: string, head = ''): string => `${head}module design${PORTS};
  always @(posedge clk) wb_ack <= wb_cyc & wb_stb & ~wb_ack;
  reg [31:0] mem [0:15];
  assign wb_dat_r = mem[wb_adr];
${body}
endmodule
`;

/**
 * What a design may name. The tools have a file system of their own, whatever the way to write a name: see the
 * contract of the engines.
 */
const targets = ({ read, relative, link }: Bait): string[] => [
  ...[read, relative, link, `./${relative}`, `x/../${relative}`, `//${read}`, `file://${read}`, `~${read}`],
  ...['/dev/stdin', '/dev/fd/0', '/proc/self/environ', '/proc/self/maps', '/etc/passwd'],
  ...['C:/Windows/win.ini', '\\\\\\\\host\\\\share', 'NUL', 'CON'],
];

function readFiles(bait: Bait): HostileDesign[] {
  const designs = category('Verilog: files of the host', 'design.v');
  for (const file of targets(bait)) {
    designs.add(`$readmemh of ${file}`, slave(`initial $readmemh("${file}", mem);`));
    designs.add(`$readmemb of ${file}`, slave(`localparam F = {"${file}"};\ninitial $readmemb(F, mem);`));
    designs.add(`\`include of ${file}`, slave('', `\`include "${file}"\n`));
  }
  const { read } = bait;
  const ways: Record<string, string> = {
    'in angle brackets': `\`include <${read}>\n`,
    'by a macro': `\`define F "${read}"\n\`include \`F\n`,
    'by pasting': `\`define I \`inc\`\`lude "${read}"\n\`I\n`,
    'as a time scale': `\`include "${read}/timescale.v"\n`,
    'of a file that a line directive names': `\`line 1 "${read}" 0\n\`include "x"\n`,
    'as a library': `library l "${read}";\ninclude ${read};\n`,
    'as a configuration': `config c; design work.design; liblist ${read}; endconfig\n`,
  };
  for (const [how, head] of Object.entries(ways)) designs.add(`\`include ${how}`, slave('', head));
  return designs.all;
}

function systemTasks({ read, write }: Bait): HostileDesign[] {
  const designs = category('Verilog: system tasks and the host', 'design.sv');
  const statements: Record<string, string> = {
    '$fopen for reading': `integer h; initial begin h = $fopen("${read}", "r"); mem[0] = $fgetc(h); end`,
    '$fopen for writing': `integer h; initial begin h = $fopen("${write}", "w"); $fwrite(h, "x"); $fclose(h); end`,
    '$fopen without a mode': `integer h; initial h = $fopen("${write}");`,
    '$fopen in a constant': `localparam H = $fopen("${write}", "w");`,
    $fscanf: `integer h, n; initial begin h = $fopen("${read}", "r"); n = $fscanf(h, "%h", mem[0]); end`,
    $fread: `integer h, n; initial begin h = $fopen("${read}", "rb"); n = $fread(mem, h); end`,
    $fgets: `reg [255:0] s; integer h, n; initial begin h = $fopen("${read}", "r"); n = $fgets(s, h); end`,
    '$fdisplay to a handle of its own': `initial $fdisplay(32'h8000_0003, "x");`,
    $writememh: `initial $writememh("${write}", mem);`,
    $writememb: `initial $writememb("${write}", mem);`,
    $dumpfile: `initial begin $dumpfile("${write}"); $dumpvars; end`,
    $system: `initial $system("cat ${read} > ${write}");`,
    '$system in a constant': `localparam S = $system("touch ${write}");`,
    $sdf_annotate: `initial $sdf_annotate("${read}");`,
    $value$plusargs: `string s; initial if ($value$plusargs("f=%s", s)) $readmemh(s, mem);`,
    '$sformat of a name': `string s; initial begin $sformat(s, "%s", "${read}"); $readmemh(s, mem); end`,
    '$sformatf of a name': `localparam string S = $sformatf("%s", "${read}"); initial $readmemh(S, mem);`,
    '$display of many': `initial $display("%m %s", {1000{"x"}});`,
    DPI: 'import "DPI-C" function int system(input string s);\nlocalparam S = system("id");',
    'an export': 'export "DPI-C" function f; function int f(); return 1; endfunction',
    'a VPI task': 'initial $vpi_exec("id");',
    'a bind': 'bind design other o();',
    $root: 'initial $root.design.mem[0] = 1;',
    'a string parameter': `parameter string F = "${read}"; initial $readmemh(F, mem);`,
  };
  for (const [how, body] of Object.entries(statements)) designs.add(how, slave(body));
  return designs.all;
}

function commands({ read, write }: Bait): HostileDesign[] {
  const designs = category('Verilog: commands of Yosys', 'design.v');
  const attributes =
    `src hdlname techmap_celltype techmap_do_x techmap_autopurge blackbox whitebox lib_whitebox
    abc_script plugin script gentb_clock keep_hierarchy ram_style rom_style init dynports interfaces
    cells_not_processed top invertible_pin abc9_box_id fsm_encoding fsm_export enum_base_type nosync
    parallel_case defaultvalue via_celltype extract_order submod`.split(/\s+/);
  for (const name of attributes) {
    designs.add(`(* ${name} *) of a path`, slave('', `(* ${name} = "${read}" *)\n`));
    designs.add(
      `(* ${name} *) of a command`,
      slave(`(* ${name} = "; exec -- touch ${write} ;" *) wire [3:0] w = wb_sel;`),
    );
  }
  const words = [
    `; exec -- touch ${write} ;`,
    `!touch ${write}`,
    `-p "tee -o ${write} log x"`,
    `script ${read}`,
    `tcl ${read}`,
    `plugin -i ${read}`,
    `read_verilog ${read}`,
    `write_verilog ${write}`,
    `<<EOF\nexec touch ${write}\nEOF`,
  ];
  for (const word of words) {
    designs.add(
      `a comment with ${word.split(' ')[0]}`,
      slave(`// yosys ${word.replaceAll('\n', ' ')}\n/* ${word} */`),
    );
    designs.add(
      `a string with ${word.split(' ')[0]}`,
      slave(`initial $display("${word.replaceAll(/["\n]/g, ' ')}");`),
    );
    const escaped = `\\${word.replaceAll(/\s/g, '_')} `;
    designs.add(`a name with ${word.split(' ')[0]}`, slave(`wire ${escaped} = wb_we;`));
    designs.add(
      `a module named ${word.split(' ')[0]}`,
      slave('').replace('module design', `module ${escaped}`),
    );
  }
  for (const name of [
    '$_NOT_',
    '$paramod',
    'SB_RAM40_4K',
    'wishbench_top',
    'top',
    'work',
    '-o',
    '@design',
    '%n',
    '*',
    'w:*',
  ])
    designs.add(`a module named ${name}`, slave('').replace('module design', `module \\${name} `));
  return designs.all;
}

function names(bait: Bait): HostileDesign[] {
  const good = slave('');
  const designs = category('Names of files', 'design.v');
  const list = [
    'nul.v',
    'con.v',
    'aux.sv',
    'com1.v',
    'COM¹.v',
    'lpt9.tar.v',
    'prn .v',
    'design.v.',
    'design.v ',
    'CONIN$.v',
    '-p.v',
    '--version.v',
    '+x.v',
    '@x.v',
    'a;exec touch x.v',
    'a"b.v',
    "a'b.v",
    'a b.v',
    'a\nb.v',
    'a\\b.v',
    '../../../x.v',
    bait.write.replace(/[^/]*$/, 'x.v'),
    'C:\\x.v',
    '\\\\host\\share\\x.v',
    '$(id).v',
    '`id`.v',
    '%n.v',
    '~root.v',
    '.v',
    '..v',
    'wishbench_top.v',
    'WISHBENCH_map.v',
    'design.il',
    'design.json',
    '\u202Ev.gpj',
    'a\u0085b.v',
    `${'x'.repeat(5000)}.v`,
    'gateware.v',
    'scan.il',
    'x.v:stream',
    'design.v\0.png',
  ];
  for (const name of list) designs.add(JSON.stringify(name).slice(0, 40), good, name);
  return designs.all;
}

/** Designs that need too much: each must end by itself, by a limit, or at its deadline. */
function appetites(): HostileDesign[] {
  const designs = category('Verilog: appetites', 'design.v');
  const bomb = Array.from({ length: 30 }, (_, at) => `\`define B${at + 1} \`B${at} \`B${at}\n`).join('');
  const quick: Record<string, string> = {
    'a vector of a billion bits': slave('wire [1073741823:0] w = 0;'),
    'a vector of a negative width': slave('wire [-2147483648:2147483647] w = 0;'),
    'a replication of a billion': slave("wire w = ^{1073741824{1'b1}};"),
    'a number of a million digits': slave(`wire w = ^8000000'h${'f'.repeat(200_000)};`),
    'a memory of a terabyte': slave(
      'reg [1023:0] huge [0:2147483647]; always @(posedge clk) huge[wb_adr] <= wb_dat_w;',
    ),
    'a hundred thousand brackets': slave(`wire w = ${'('.repeat(100_000)}1${')'.repeat(100_000)};`),
    'ten thousand blocks in each other': slave(`initial ${'begin '.repeat(10_000)}${'end '.repeat(10_000)}`),
    'a name of a megabyte': slave(`wire ${'n'.repeat(900_000)} = wb_we;`),
    'a line of a megabyte': slave(`wire w = wb_we${' '.repeat(900_000)};`),
    'a parameter that is itself': slave('parameter P = P + 1;'),
    'an instance of itself': slave(
      'design d(clk, rst, wb_cyc, wb_stb, wb_we, wb_adr, wb_dat_w, wb_sel, , );',
    ),
    'a division by zero': slave('localparam P = 1 / 0; wire [P:0] w = 0;'),
    'two thousand conditions of the preprocessor': slave('`ifdef A\n'.repeat(2000)),
    'a string that does not end': slave('initial $display("'),
    'a comment that does not end': slave('/*'),
  };
  const slow: Record<string, string> = {
    'a macro that calls itself': slave('`define A `A\n`A'),
    'macros that call each other': slave('`define A `B\n`define B `A\n`A'),
    'ten thousand conditions in each other': slave(`wire w = ${'wb_we ? 1 : '.repeat(10_000)}0;`),
    'a billion laughs': slave(`\`define B0 x\n${bomb}\`B30`),
    'a loop without an end': slave(
      'function integer f; input x; begin f = 0; while (1) f = f + 1; end endfunction\nlocalparam P = f(0);',
    ),
    'a product of large numbers': slave(
      'reg [4095:0] a; always @(posedge clk) a <= {a, wb_dat_w}; wire [8191:0] p = a * a * a; always @(posedge clk) mem[0] <= p >> wb_adr;',
    ),
    'a power of a power': slave('localparam [65535:0] P = 3 ** (2 ** 30);'),
    'a decoder of thirty bits': slave('wire [1073741823:0] d = 1 << wb_adr;'),
  };
  for (const [name, source] of Object.entries(quick)) designs.add(name, source);
  for (const [name, source] of Object.entries(slow)) designs.add(name, source, undefined, 'slow');
  return designs.all;
}

/** Hostile designs in Verilog and SystemVerilog, by category. */
export const verilogDesigns = (bait: Bait): HostileDesign[] => [
  ...readFiles(bait),
  ...systemTasks(bait),
  ...commands(bait),
  ...names(bait),
  ...appetites(),
];
