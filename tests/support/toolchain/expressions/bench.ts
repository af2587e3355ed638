import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { loadCatalogue } from '../../../../server/boards/catalogue/index.ts';
import { designSources } from '../../../../server/toolchain/build/design-sources.ts';
import { yosysLibrary } from '../../../../server/toolchain/engines/embedded/yosys-library.ts';
import { familyOf } from '../../../../server/toolchain/families/index.ts';
import { requireMatch, scanDesignSources } from '../../../../server/toolchain/frontends/scan.ts';
import { prepareDesign } from '../../../../server/toolchain/intake/design.ts';
import type { ToolEngine } from '../../../../server/toolchain/tool-engine.ts';
import { temporaryFolder } from '../../temporary.ts';
import { requestOf } from '../build/support.ts';
import { readVhdlText } from '../frontends/vhdl/vhdl.ts';
import { type Expression, ExpressionWriter, INPUT_WIDTH, type Operand, OUTPUT_WIDTH } from './expression.ts';
import { simulateWithVerilator } from './verilator.ts';

const run = promisify(execFile);

/** Models of the cells of an iCE40 HX, before a netlist that uses them. */
const withModels = (netlist: string): string =>
  `\`define ICE40_HX\n\`define NO_ICE40_DEFAULT_ASSIGNMENTS\n${yosysLibrary('ice40/cells_sim.v')}\n${netlist}`;

const QUIET = { log() {}, progress() {} };
const TOP = 'slave';
const NETLIST_TEXT = 'netlist.v';

/** A slave that computes all expressions of its input; its bus is there for the matcher. */
export function designOf(operands: readonly Operand[], expressions: readonly Expression[]): string {
  const writer = new ExpressionWriter();
  const values = expressions.map((expression) => writer.write(expression));
  const outputs = values.map((_, at) => `output [${OUTPUT_WIDTH - 1}:0] y${at}`);
  const assigned = values.map((value, at) => `  assign y${at} = ${value};`);
  return `module ${TOP}(input clk, input rst, input wb_cyc, input wb_stb, input wb_we, input [3:0] wb_adr, input [31:0] wb_dat_w,
  output [31:0] wb_dat_r, output wb_ack, input [${operands.length * INPUT_WIDTH - 1}:0] in, ${outputs.join(', ')});
  assign wb_ack = wb_stb;
  assign wb_dat_r = wb_adr;
${[...operands.map(({ declaration }) => declaration), ...writer.declarations].map((one) => `  ${one}`).join('\n')}
${assigned.join('\n')}
endmodule
`;
}

/** How far a design is built: to operators on words, where synthesis changes them, or to cells of an iCE40 HX. */
type Depth = 'words' | 'cells';

const OPERATORS = 'operators.v';

/**
 * Cells of Yosys without an operator in Verilog, made of those with one, so that words stay words. Source: Yosys,
 * `simlib.v`.
 */
const OPERATORS_TEXT = `(* techmap_celltype = "$alu" *)
module alu_of_words (A, B, CI, BI, X, Y, CO);
  parameter A_SIGNED = 0; parameter B_SIGNED = 0; parameter A_WIDTH = 1; parameter B_WIDTH = 1; parameter Y_WIDTH = 1;
  input [A_WIDTH-1:0] A; input [B_WIDTH-1:0] B; input CI, BI; output [Y_WIDTH-1:0] X, Y, CO;
  wire [Y_WIDTH-1:0] a, extended;
  generate
    if (A_WIDTH == 0) begin assign a = 0; assign extended = B; end
    else if (A_SIGNED && B_SIGNED) begin assign a = $signed(A); assign extended = $signed(B); end
    else begin assign a = A; assign extended = B; end
  endgenerate
  wire [Y_WIDTH-1:0] b = extended ^ {Y_WIDTH{BI}};
  assign X = a ^ b;
  assign Y = a + b + CI;
  assign CO = a & b | (a | b) & ~Y;
endmodule
`;

/** The remaining cells without an operator, in Verilog. */
const WITH_OPERATORS = [
  // Not `-unmap`: it fails where a sum has one bit.
  'maccmap',
  'techmap t:$fa',
  `techmap -map ${OPERATORS} t:$alu`,
  'simplemap t:$lut t:$bwmux t:$bmux t:$demux t:$pmux',
];

/** The netlist of a design in Verilog, as a build of the bench makes it for a board. */
async function builtText(text: string, { filename, board: id, engine, depth }: Trial): Promise<string> {
  const board = loadCatalogue().get(id)!;
  const family = familyOf(board);
  const request = requestOf(text, filename, {}, id);
  const { design: prepared } = await prepareDesign(request);
  const design = prepared.language === 'vhdl' ? await readVhdlText(text, TOP) : prepared;
  const scan = await scanDesignSources(design, request, engine, QUIET);
  const { module } = requireMatch(scan);
  const { files, read, whenFlat } = designSources(scan.source, module, module);
  const script = family.synthesis(board, module, { whenFlat, arithmetic: scan.arithmetic });
  const words = script.findIndex((command) => command.endsWith(':map_ram')) + 1;
  const steps =
    depth === 'words'
      ? [...script.slice(0, words), ...WITH_OPERATORS]
      : [...script, 'ice40_wrapcarry -unwrap'];
  const result = await engine.run({
    tool: 'yosys',
    args: ['-q', '-s', 'build.ys'],
    files: {
      ...files,
      ...family.synthesisFiles,
      [OPERATORS]: OPERATORS_TEXT,
      'build.ys': [
        ...read,
        ...steps,
        'opt_clean',
        `rename ${module} ${TOP}`,
        `write_verilog -noattr ${NETLIST_TEXT}`,
        '',
      ].join('\n'),
    },
    ...{ outputs: [NETLIST_TEXT], deadline: 600, onLine() {} },
  });
  const netlist = Buffer.from(result.files[NETLIST_TEXT]!).toString();
  return depth === 'words' ? netlist : withModels(netlist);
}

/** What simulates the source of a design. */
type Simulator = 'icarus' | 'verilator' | 'ghdl';

const wordsOf = (output: string): string[][] =>
  output
    .trim()
    .split('\n')
    .map((line) => line.split(' '));

/** Whether the reset is high with an input: its lowest word begins with three ones. */
const isReset = (input: string): boolean => input.slice(-INPUT_WIDTH).startsWith('111');

/**
 * A design's outputs after each input and a rising edge of its clock, computed by Icarus Verilog: words of OUTPUT_WIDTH
 * bits, `x` for an unknown one. Its reset is high while the three highest bits of the input are.
 */
async function simulated(
  text: string,
  inputs: readonly string[],
  outputs: number,
  simulator: Simulator = 'icarus',
): Promise<string[][]> {
  const folder = temporaryFolder('expressions');
  if (simulator === 'verilator')
    return wordsOf(await simulateWithVerilator(folder, text, inputs, [outputs, OUTPUT_WIDTH], isReset));
  if (simulator === 'ghdl') return wordsOf(await simulateWithGhdl(folder, text, inputs, outputs));
  const names = Array.from({ length: outputs }, (_, at) => `y${at}`);
  const width = inputs[0]?.length ?? 0;
  const port = /\bstimulus\b/.test(text) ? 'stimulus' : 'in';
  const bench = `module bench;
  reg [${width - 1}:0] inputs [0:${inputs.length - 1}]; reg [${width - 1}:0] in;
  reg clk = 0;
  integer n;
${names.map((name) => `  wire [${OUTPUT_WIDTH - 1}:0] ${name};`).join('\n')}
  slave dut(.clk(clk), .rst(&in[${INPUT_WIDTH - 1}:${INPUT_WIDTH - 3}]), .wb_cyc(1'b0), .wb_stb(1'b0), .wb_we(1'b0), .wb_adr(4'b0), .wb_dat_w(32'b0), .${port}(in), ${names.map((name) => `.${name}(${name})`).join(', ')});
  initial begin
    $readmemb("inputs", inputs);
    #10 for (n = 0; n < ${inputs.length}; n = n + 1) begin in = inputs[n]; #50 clk = 1; #50 clk = 0; #50 $display("${names.map(() => '%b').join(' ')}", ${names.join(', ')}); end
    $finish;
  end
endmodule
`;
  writeFileSync(path.join(folder, 'design.sv'), text);
  writeFileSync(path.join(folder, 'bench.v'), bench);
  writeFileSync(path.join(folder, 'inputs'), `${inputs.join('\n')}\n`);
  const options = { cwd: folder, maxBuffer: 2 ** 30, timeout: 300_000 };
  await run('iverilog', ['-g2012', '-s', 'bench', '-o', 'sim', 'design.sv', 'bench.v'], options);
  const { stdout } = await run('vvp', ['-n', 'sim'], options);
  return wordsOf(stdout);
}

/** The same in VHDL. */
async function simulateWithGhdl(
  folder: string,
  text: string,
  inputs: readonly string[],
  outputs: number,
): Promise<string> {
  const names = Array.from({ length: outputs }, (_, at) => `y${at}`);
  const bench = `library ieee; use ieee.std_logic_1164.all; use std.textio.all;
entity bench is end entity;
architecture sim of bench is
  type rows_t is array (natural range <>) of std_logic_vector(${(inputs[0]?.length ?? 0) - 1} downto 0);
  constant ROWS : rows_t(0 to ${inputs.length - 1}) := (${inputs.map((input, at) => `${at} => "${input}"`).join(',\n')});
  signal clk, rst : std_logic := '0';
  signal stimulus : std_logic_vector(ROWS(0)'range);
  signal ${names.join(', ')} : std_logic_vector(${OUTPUT_WIDTH - 1} downto 0);
begin
  dut : entity work.slave port map (clk => clk, rst => rst, wb_cyc => '0', wb_stb => '0', wb_we => '0', wb_adr => x"0",
    wb_dat_w => x"00000000", stimulus => stimulus, ${names.map((name) => `${name} => ${name}`).join(', ')});
  process
    variable l : line;
  begin
    for n in ROWS'range loop
      stimulus <= ROWS(n); rst <= and ROWS(n)(${INPUT_WIDTH - 1} downto ${INPUT_WIDTH - 3}); wait for 50 ns;
      clk <= '1'; wait for 50 ns; clk <= '0'; wait for 50 ns;
      write(l, ${names.map((name) => `to_string(${name})`).join(` & " " & `)}); writeline(output, l);
    end loop;
    wait;
  end process;
end architecture;
`;
  writeFileSync(path.join(folder, 'design.vhd'), text);
  writeFileSync(path.join(folder, 'bench.vhd'), bench);
  const options = { cwd: folder, maxBuffer: 2 ** 30, timeout: 300_000 };
  const flags = ['--std=08', '-fsynopsys', '-frelaxed'];
  await run('ghdl', ['-a', ...flags, 'design.vhd', 'bench.vhd'], options);
  return (await run('ghdl', ['-r', ...flags, 'bench', '--ieee-asserts=disable'], options)).stdout;
}

/** Inputs whose operands are corner cases or random numbers. */
export function inputsOf(random: () => number, operands: number, count: number): string[] {
  const any = () => Array.from({ length: INPUT_WIDTH }, () => (random() < 0.5 ? '0' : '1')).join('');
  const corners = [
    '0'.repeat(INPUT_WIDTH),
    '1'.repeat(INPUT_WIDTH),
    '1'.padStart(INPUT_WIDTH, '0'),
    '10'.repeat(INPUT_WIDTH / 2),
    '01'.repeat(INPUT_WIDTH / 2),
  ];
  const word = () => (random() < 0.3 ? (corners[Math.floor(random() * corners.length)] as string) : any());
  const rows = Array.from({ length: count - corners.length }, () =>
    Array.from({ length: operands }, word).join(''),
  );
  return [...corners.map((corner) => corner.repeat(operands)), ...rows];
}

export interface WrongWord {
  /** Which of the expressions or outputs. */
  at: number;
  input: string;
  meant: string;
  got: string;
}

/** How expressions are tried. */
export interface Trial {
  engine: ToolEngine;
  board: string;
  depth: Depth;
  filename: 'design.v' | 'design.sv' | 'design.vhd';
  operands: readonly Operand[];
  inputs: readonly string[];
  /** Icarus Verilog when absent. */
  simulator?: Simulator;
}

/** Where the simulation has no value, any is right. */
const isSame = (meant: string, got: string): boolean =>
  [...meant].every((bit, at) => !/[01]/.test(bit) || bit === got[at]);

/**
 * The first wrong word of each expression. Bits that Icarus does not know (a quotient by zero, bits beyond an operand)
 * do not count.
 * @throws what refuses the design
 */
export const wrongWords = (trial: Trial, expressions: readonly Expression[]): Promise<WrongWord[]> =>
  wrongOutputs(trial, designOf(trial.operands, expressions), expressions.length);

/**
 * The first wrong word of each output of a slave, which gets a rising edge of its clock after each input.
 * @param reference the same slave as the simulator can read it
 * @throws what refuses the design
 */
export async function wrongOutputs(
  trial: Trial,
  text: string,
  outputs: number,
  reference = text,
): Promise<WrongWord[]> {
  const { inputs, simulator } = trial;
  const meant = await simulated(reference, inputs, outputs, simulator);
  const got = await simulated(await builtText(text, trial), inputs, outputs);
  return Array.from({ length: outputs }, (_, at) => at).flatMap((at) => {
    const row = inputs.findIndex((_, row) => !isSame(meant[row]?.[at] ?? '', got[row]?.[at] ?? ''));
    if (row < 0) return [];
    return [{ at, input: inputs[row]!, meant: meant[row]?.[at] ?? '', got: got[row]?.[at] ?? '' }];
  });
}
