/** The end of a sentence. A quoted character at the end, as in “unexpected '.'”, does not count. */
const ENDED = /[.!?…:][)\]]?$/;

/** Adds a full stop to a message that is not a full sentence, as many tool messages are. */
export function sentence(message: string): string {
  const text = message.trimEnd();
  return text === '' || ENDED.test(text) ? text : `${text}.`;
}

/** Joins messages as sentences, e.g. a cause and a remedy, and omits empty ones. */
export const sentences = (...messages: readonly (string | null | undefined)[]): string =>
  messages
    .map((one) => sentence(one ?? ''))
    .filter((one) => one !== '')
    .join(' ');
