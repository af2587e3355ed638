import type { Token } from '../../scan/lexer.ts';

interface Branch {
  outer: boolean;
  active: boolean;
  taken: boolean;
}

/** Which parts of a Verilog source are live: follows `` `ifdef `` and `translate_off` as slang does. */
export class PreprocessorState {
  // What is defined where a source is read for synthesis.
  #defined = new Set(['YOSYS', 'SYNTHESIS']);
  #branches: Branch[] = [];
  /** Where a part hidden by `translate_off` began. */
  hiddenFrom: number | null = null;

  get active(): boolean {
    return this.hiddenFrom === null && (this.#branches.at(-1)?.active ?? true);
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
