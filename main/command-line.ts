/** Words that begin a command of the command line, as opposed to a link or an option of the window. */
const COMMAND = /^[a-z][a-z-]*$/;

/**
 * The arguments of a command, where the application was started with one: `wishbench nodes`. Null for a start of the
 * window, with options, a link, or the project folder of a clone.
 */
export function commandOf(argv: readonly string[], isPackaged: boolean): string[] | null {
  const args = argv.slice(isPackaged ? 1 : 2);
  const [first] = args;
  return first !== undefined && COMMAND.test(first) ? args : null;
}
