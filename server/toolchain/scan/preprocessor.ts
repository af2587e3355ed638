import type { Token } from './lexer.ts';

/** Directives of IEEE 1364 and 1800, and those that only Yosys has. */
const DIRECTIVES = new Set(
  'define undef undefineall ifdef ifndef elsif else endif include timescale default_nettype resetall celldefine endcelldefine line begin_keywords end_keywords pragma nounconnected_drive unconnected_drive default_decay_time default_trireg_strength delay_mode_distributed delay_mode_path delay_mode_unit delay_mode_zero'.split(
    ' ',
  ),
);

interface Branch {
  outer: boolean;
  active: boolean;
  taken: boolean;
}

/** Which parts of a Verilog source are live: follows `` `ifdef `` and `translate_off` as Yosys does. */
export class PreprocessorState {
  // What Yosys defines by itself when it reads a source for synthesis.
  #defined = new Set(['YOSYS', 'SYNTHESIS']);
  /** Every name that the source, or another one of its project, defines anywhere. */
  #ever: Set<string>;
  #branches: Branch[] = [];
  /** Where a part hidden by `translate_off` began. */
  hiddenFrom: number | null = null;

  /** @param macros names that other files of the project define */
  constructor(macros: Iterable<string> = []) {
    this.#ever = new Set(['YOSYS', 'SYNTHESIS', ...macros]);
  }

  get active(): boolean {
    return this.hiddenFrom === null && (this.#branches.at(-1)?.active ?? true);
  }

  knows(name: string): boolean {
    return DIRECTIVES.has(name) || this.#ever.has(name);
  }

  /**
   * Follows `// synthesis translate_off` and `translate_on`.
   * @returns at a `translate_on` where the hidden part began, else null
   */
  comment(token: Token): number | null {
    const word = /^\/[/*]\s*(?:synopsys|synthesis|pragma|rtl_synthesis)\s+(?:translate_)?(on|off)\b/.exec(
      token.text,
    );
    if (word?.[1] === 'off' && this.hiddenFrom === null) this.hiddenFrom = token.end;
    if (word?.[1] !== 'on') return null;
    const from = this.hiddenFrom;
    this.hiddenFrom = null;
    return from;
  }

  /** Follows a directive; true when it was one about conditions or names. */
  directive(token: Token, next: Token | undefined): boolean {
    if (this.hiddenFrom !== null) return false;
    const name = next?.kind === 'word' ? next.text : '';
    const branch = this.#branches.at(-1);
    switch (token.text) {
      case '`define':
        this.#ever.add(name);
        if (this.active) this.#defined.add(name);
        return true;
      case '`undef':
        if (this.active) this.#defined.delete(name);
        return true;
      case '`ifdef':
      case '`ifndef': {
        const holds = this.#defined.has(name) === (token.text === '`ifdef');
        this.#branches.push({ outer: this.active, active: this.active && holds, taken: holds });
        return true;
      }
      case '`elsif':
        if (branch) {
          const holds = !branch.taken && this.#defined.has(name);
          branch.active = branch.outer && holds;
          branch.taken ||= holds;
        }
        return true;
      case '`else':
        if (branch) {
          branch.active = branch.outer && !branch.taken;
          branch.taken = true;
        }
        return true;
      case '`endif':
        this.#branches.pop();
        return true;
      default:
        return false;
    }
  }
}
