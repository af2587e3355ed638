/**
 * Puts the missing `default` into the case statements of GHDL's Verilog output.
 *
 * GHDL 2.0 (Debian 12, Ubuntu 22.04) leaves out `when others` when it writes Verilog: the result simulates and
 * synthesises, with a latch in place of the value. Its VHDL output of the same netlist has the value, in the
 * same order and under the same names.
 * @param verilog output of `ghdl --synth --out=verilog`
 * @param vhdl output of `ghdl --synth --out=vhdl` for the same design; read only when something is missing
 * @throws Error when the two do not belong together
 */
export function completeGhdlCases(verilog: string, vhdl: () => string): string {
  const blocks = [...verilog.matchAll(CASE)];
  if (blocks.every(([text]) => /^\s*default\s*:/m.test(text))) return verilog;
  const selects = [...vhdl().matchAll(SELECT)];
  let result = '';
  let at = 0;
  blocks.forEach((block, index) => {
    const [text, signal, output] = block;
    const [, choice, target, value] = selects[index] ?? [];
    if (choice !== signal || target !== output || value === undefined)
      throw new Error(`The case on ${signal} has no counterpart in the VHDL output of GHDL.`);
    result += verilog.slice(at, block.index);
    result += /^\s*default\s*:/m.test(text)
      ? text
      : text.replace(
          /( *)endcase$/,
          (end, indent) => `${indent}  default: ${output} <= ${toVerilog(value)};\n${end}`,
        );
    at = block.index + text.length;
  });
  return result + verilog.slice(at);
}

/** True when the Verilog output of GHDL lacks what completeGhdlCases puts in. */
export const lacksCaseDefaults = (verilog: string): boolean =>
  [...verilog.matchAll(CASE)].some(([text]) => !/^\s*default\s*:/m.test(text));

/** `case (n8_o) 2'b10: n10_o <= d; … endcase`, as GHDL writes the choice of one of several values. */
const CASE = /case \((\w+)\)\s*\n\s*[\w'?]+: (\w+) <= [^;]*;[\s\S]*?endcase/g;

/** `with n8_o select n10_o <= … "1010" when others;` */
const SELECT = /with (\w+) select (\w+) <=\s[^;]*?([^\s,]+) when others;/g;

/** A value of the VHDL output: a literal, or a net, of which the ports carry a prefix. */
function toVerilog(value: string): string {
  const hex = /^x"([0-9a-fA-F]+)"$/i.exec(value)?.[1];
  if (hex !== undefined) return `${hex.length * 4}'h${hex}`;
  const bits = /^["']([01XZUWLH-]+)["']$/i.exec(value)?.[1];
  if (bits === undefined) return value.replace(/^wrap_/, '');
  const known = bits.toLowerCase().replace(/[uw-]/g, 'x').replaceAll('l', '0').replaceAll('h', '1');
  return `${bits.length}'b${known}`;
}
