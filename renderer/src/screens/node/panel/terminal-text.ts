const bytesOf = (text: string): Uint8Array => Uint8Array.from(text, (character) => character.charCodeAt(0));

/** Escape sequences for colours and cursor: `ESC [ … letter`. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: it begins with one
const SEQUENCES = /\u001b(?:\[[0-9;?]*[ -/]*[@-~]|[@-Z\\-_])/g;

/**
 * The lines of a terminal for received bytes, one character a byte, as UTF-8. A carriage return goes to the start of
 * the line, a backspace goes back by one. Other control characters and sequences do nothing.
 */
export function terminalText(received: string): string {
  const text = new TextDecoder().decode(bytesOf(received)).replace(SEQUENCES, '');
  const lines: string[] = [];
  let line: string[] = [];
  let column = 0;
  for (const character of text) {
    if (character === '\n') {
      lines.push(line.join(''));
      line = [];
      column = 0;
    } else if (character === '\r') column = 0;
    else if (character === '\b' || character === '\u007f') column = Math.max(0, column - 1);
    else if (character === '\t' || character >= ' ') {
      line[column] = character;
      column++;
    }
  }
  return [...lines, line.join('')].join('\n');
}

/** The bytes of a key; null for a key of the browser. */
export function bytesOfKey({
  key,
  ctrlKey,
  altKey,
  metaKey,
}: Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'altKey' | 'metaKey'>): string | null {
  if (altKey || metaKey) return null;
  if (ctrlKey) {
    // Copy and paste stay with the browser.
    const letter = /^[a-z]$/.test(key) && key !== 'c' && key !== 'v' ? key : null;
    return letter && String.fromCharCode(letter.charCodeAt(0) - 96);
  }
  if (key === 'Enter') return '\r';
  if (key === 'Backspace') return '\b';
  return [...key].length === 1 ? key : null;
}
