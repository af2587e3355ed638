/** A body passed on as text, on a route that takes JSON or text: JSON validation skips it. */
export class TextBody {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}
