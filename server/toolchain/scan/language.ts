export type Language = 'verilog' | 'systemverilog' | 'vhdl' | 'amaranth';

const EXTENSIONS: Readonly<Record<string, Language>> = {
  v: 'verilog',
  vh: 'verilog',
  verilog: 'verilog',
  sv: 'systemverilog',
  svh: 'systemverilog',
  vhd: 'vhdl',
  vhdl: 'vhdl',
  py: 'amaranth',
};

/** The language that the extension of a file name says, without regard to case; undefined for any other. */
export function languageOfName(filename: string): Language | undefined {
  const extension = /\.([^./\\]+)$/.exec(filename)?.[1]?.toLowerCase();
  return extension !== undefined && Object.hasOwn(EXTENSIONS, extension) ? EXTENSIONS[extension] : undefined;
}
