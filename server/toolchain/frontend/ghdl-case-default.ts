/**
 * GHDL before release 3 leaves the `others` branch out of the case statements that it writes as Verilog, which
 * makes latches of them and another function (ghdl/ghdl issue 2041). The VHDL that it writes of the same
 * netlist, with the same names, has the branch: from there it is put back.
 */

/** A Verilog case statement of GHDL: its selector is a net, each branch assigns to the same signal. */
const CASE = /^( *)case \((\S+)\)\n((?: +\S+: \S+ *<?= *[^\n]+;\n)+) *endcase/gm;

/** True when a case statement lacks its default. */
export const lacksDefaults = (verilog: string): boolean =>
  [...verilog.matchAll(CASE)].some(([, , , branches]) => !/^ *default:/m.test(branches ?? ''));

/**
 * Puts the missing defaults back.
 * @param vhdl what `--out=vhdl` gives for the same design
 * @returns null when one of them could not be found: the Verilog must not be used then
 */
export function withDefaults(verilog: string, vhdl: string): string | null {
  const defaults = defaultsOf(vhdl);
  let missing = false;
  const repaired = verilog.replace(/^module\s+(\S+)[\s\S]*?^endmodule\b/gm, (module, name: string) =>
    module.replace(CASE, (statement, indent: string, _selector: string, branches: string) => {
      if (/^ *default:/m.test(branches)) return statement;
      const target = /: (\S+) *<?=/.exec(branches)?.[1] ?? '';
      const value = toVerilog(defaults.get(name.toLowerCase())?.get(target) ?? '', module);
      if (value === null) {
        missing = true;
        return statement;
      }
      return statement.replace(/ *endcase$/, `${indent}  default: ${target} <= ${value};\n${indent}endcase`);
    }),
  );
  return missing ? null : repaired;
}

/** Entity, in lower case → signal → what it has in the `others` branch, as VHDL text. The Verilog of a top has its name as it was written. */
function defaultsOf(vhdl: string): Map<string, Map<string, string>> {
  const entities = new Map<string, Map<string, string>>();
  for (const [body, entity = ''] of vhdl.matchAll(/^architecture \S+ of (\S+) is$[\s\S]*?^end \S+;/gm)) {
    const values = new Map<string, string>();
    for (const [, signal = '', branches = ''] of body.matchAll(/^ *with \S+ select (\S+) <=\n([^;]*);/gm)) {
      const value = /([^\n,]+) when others$/.exec(branches.trimEnd())?.[1];
      if (value !== undefined) values.set(signal, value.trim());
    }
    entities.set(entity.toLowerCase(), values);
  }
  return entities;
}

/** A VHDL literal or name as Verilog; null for anything else. GHDL calls the port `a` `wrap_a` in VHDL. */
function toVerilog(value: string, module: string): string | null {
  const bit = /^'([01XZUWLH-])'$/.exec(value)?.[1];
  if (bit !== undefined) return `1'b${verilogBits(bit)}`;
  const bits = /^"([01XZUWLH-]+)"$/.exec(value)?.[1];
  if (bits !== undefined) return `${bits.length}'b${verilogBits(bits)}`;
  const filled = /^\((\d+) downto 0 => '([01XZUWLH-])'\)$/.exec(value);
  if (filled) return `{${Number(filled[1]) + 1}{1'b${verilogBits(filled[2] ?? 'X')}}}`;
  const hex = /^X"([0-9a-f]+)"$/i.exec(value)?.[1];
  if (hex !== undefined) return `${hex.length * 4}'h${hex}`;
  for (const name of [value, value.replace(/^wrap_/, '')])
    if (/^\w+$/.test(name) && new RegExp(`\\b(?:wire|reg|input|output)\\b[^;,]*\\b${name}\\b`).test(module))
      return name;
  return null;
}

const verilogBits = (bits: string) =>
  bits
    .replace(/[XUW-]/g, 'x')
    .replaceAll('Z', 'z')
    .replaceAll('L', '0')
    .replaceAll('H', '1');
