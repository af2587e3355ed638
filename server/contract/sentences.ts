/** How a sentence ends. A quoted sign at the end, as in “unexpected '.'”, is no end. */
const ENDED = /[.!?…:][)\]]?$/;

/** A message with a full stop, unless it ends as a sentence: what the tools say of a design has none. */
export function sentence(message: string): string {
  const text = message.trimEnd();
  return text === '' || ENDED.test(text) ? text : `${text}.`;
}

/** Messages one behind the other as sentences, such as what happened and what to do; those that say nothing are left out. */
export const sentences = (...messages: readonly (string | null | undefined)[]): string =>
  messages
    .map((one) => sentence(one ?? ''))
    .filter((one) => one !== '')
    .join(' ');
