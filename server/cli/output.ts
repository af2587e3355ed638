/** Results go to standard output, everything that is said about them to standard error. */
export const print = (line: string): void => void process.stdout.write(`${line}\n`);

export const printNotice = (line: string): void => {
  progress.clear();
  process.stderr.write(`${line}\n`);
};

/** One JSON document over several lines, for what is printed once. */
export const printJson = (value: unknown): void => print(JSON.stringify(value, null, 2));

/** One JSON document a line, for what goes on. */
export const printJsonLine = (value: unknown): void => print(JSON.stringify(value));

/** What goes on at the moment: one line that changes on a terminal, a line a step elsewhere. */
class Progress {
  #step = '';
  #shown = false;

  /** `detail` changes within a step, such as a percentage, and is worth no line of its own. */
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
}

export const progress = new Progress();
