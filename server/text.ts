/**
 * A control character that stands in no line of text: neither tab nor one of the line ends. Source: ASCII (RFC 20),
 * with the separators vertical tab and form feed, which editors put into sources, allowed.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
export const CONTROL_CHARACTER = /[\u0000-\u0008\u000e-\u001f\u007f]/;

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const UNPRINTABLE = /\u001b\[[0-9;?]*[ -/]*[@-~]|[\u0000-\u0008\u000b-\u001f\u007f]/g;

/**
 * A line without what a terminal would obey: escape sequences that colour and move (ECMA-48, CSI) and control
 * characters other than tab and line feed.
 */
export const withoutControls = (line: string): string => line.replace(UNPRINTABLE, '');
