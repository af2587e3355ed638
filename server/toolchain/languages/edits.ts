/** Replaces parts of a text. Line ends of replaced parts stay, so that line numbers do not change. */
export class Edits {
  #edits: { start: number; end: number; by: string }[] = [];

  replace(start: number, end: number, by = ''): void {
    this.#edits.push({ start, end, by });
  }

  apply(text: string): string {
    let result = '';
    let at = 0;
    for (const { start, end, by } of this.#edits.sort((a, b) => a.start - b.start)) {
      if (start < at) continue; // inside a replaced part
      const lost = text.slice(start, end);
      // A continued line of a macro stays continued.
      const lines = (lost.match(/\\?\n/g) ?? []).join('');
      result += text.slice(at, start) + (by || ' ') + lines;
      at = end;
    }
    return result + text.slice(at);
  }
}
