/** A body that is handed over as text, where a route takes JSON or text: who validates JSON lets it pass. */
export class TextBody {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}
