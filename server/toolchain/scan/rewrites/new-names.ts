/** Names for variables that a text does not have yet. */
export class NewNames {
  readonly #prefix: string;
  #last = 0;

  constructor(text: string) {
    let prefix = 'left__';
    while (text.includes(prefix)) prefix += '_';
    this.#prefix = prefix;
  }

  next(): string {
    return `${this.#prefix}${++this.#last}`;
  }
}
