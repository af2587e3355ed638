import type { Token } from '../../languages/verilog/lexer.ts';

interface Branch {
  outer: boolean;
  active: boolean;
  taken: boolean;
}

/** Which parts of a Verilog source are live: follows `` `ifdef `` as slang does. */
export class PreprocessorState {
  // What is defined where a source is read for synthesis.
  #defined = new Set(['YOSYS', 'SYNTHESIS']);
  #branches: Branch[] = [];

  get active(): boolean {
    return this.#branches.at(-1)?.active ?? true;
  }

  /** Follows a directive. */
  directive(token: Token, next: Token | undefined): void {
    const name = next?.kind === 'word' ? next.text : '';
    const branch = this.#branches.at(-1);
    switch (token.text) {
      case '`define':
        if (this.active) this.#defined.add(name);
        return;
      case '`undef':
        if (this.active) this.#defined.delete(name);
        return;
      case '`ifdef':
      case '`ifndef': {
        const holds = this.#defined.has(name) === (token.text === '`ifdef');
        this.#branches.push({ outer: this.active, active: this.active && holds, taken: holds });
        return;
      }
      case '`elsif':
        if (branch) {
          const holds = !branch.taken && this.#defined.has(name);
          branch.active = branch.outer && holds;
          branch.taken ||= holds;
        }
        return;
      case '`else':
        if (branch) {
          branch.active = branch.outer && !branch.taken;
          branch.taken = true;
        }
        return;
      case '`endif':
        this.#branches.pop();
        return;
    }
  }
}
