// Sources as bytes and as text.

/** Contents → text of what this page encoded: typed text is not decoded again on every key. */
const texts = new WeakMap<Uint8Array, string>();

/** Encodes a text as UTF-8. */
export function encodeSource(source: string): Uint8Array {
  const contents = new TextEncoder().encode(source);
  // UTF-8 replaces half a character by U+FFFD and decoding drops a byte order mark: the text would differ.
  if (!source.startsWith('\ufeff') && !/\p{Surrogate}/u.test(source)) texts.set(contents, source);
  return contents;
}

/** Decodes a source: UTF-8, or Latin-1 if it is not valid UTF-8. */
export function decodeSource(contents: Uint8Array): string {
  const known = texts.get(contents);
  if (known !== undefined) return known;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(contents);
  } catch {
    return new TextDecoder('latin1').decode(contents);
  }
}
