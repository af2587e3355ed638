/** Results go to standard output, notices to standard error. */
export const print = (line: string): void => void process.stdout.write(`${line}\n`);

export const printNotice = (line: string): void => {
  progress.clear();
  process.stderr.write(`${line}\n`);
};

/** One JSON document over several lines, for a single result. */
export const printJson = (value: unknown): void => print(JSON.stringify(value, null, 2));

/** One JSON document per line, for a sequence. */
export const printJsonLine = (value: unknown): void => print(JSON.stringify(value));

/** The progress of a command: one changing line on a terminal, elsewhere a line per step. */
class Progress {
  #step = '';
  #shown = false;

  /** `detail` changes within a step, such as a percentage, and gets no line of its own. */
  show(step: string, detail = ''): void {
    if (process.stderr.isTTY) {
      process.stderr.write(`\r\x1b[K… ${step}${detail}`);
      this.#shown = true;
    } else if (step !== this.#step) process.stderr.write(`${step}\n`);
    this.#step = step;
  }

  clear(): void {
    if (!this.#shown) return;
    process.stderr.write('\r\x1b[K');
    this.#shown = false;
  }

  /** At the end of a command: the next one shows its steps from the first on. */
  end(): void {
    this.clear();
    this.#step = '';
  }
}

export const progress = new Progress();
