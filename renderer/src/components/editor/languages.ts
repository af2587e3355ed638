import { StreamLanguage } from '@codemirror/language';
import { python } from '@codemirror/legacy-modes/mode/python';
import { verilog } from '@codemirror/legacy-modes/mode/verilog';
import { vhdl } from '@codemirror/legacy-modes/mode/vhdl';
import type { Extension } from '@codemirror/state';

/** Highlighting by the file's extension; none for what is not HDL. */
export function languageOf(filename: string): Extension {
  const extension = filename.slice(filename.lastIndexOf('.')).toLowerCase();
  switch (extension) {
    case '.v':
    case '.sv':
    case '.vh':
    case '.svh':
      return StreamLanguage.define(verilog);
    case '.vhd':
    case '.vhdl':
      return StreamLanguage.define(vhdl);
    case '.py':
      return StreamLanguage.define(python);
    default:
      return [];
  }
}
