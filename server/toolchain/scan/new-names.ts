/** Names for variables that a text does not have yet. */
export class NewNames {
  readonly #text: string;
  #last = 0;

  constructor(text: string) {
    this.#text = text;
  }

  next(): string {
    let name = '';
    do name = `left__${++this.#last}`;
    while (this.#text.includes(name));
    return name;
  }
}
