/** Message for an assertion of Yosys, which names a line of Yosys and not of the design. */
const INTERNAL_ERROR = 'Yosys failed with an internal error, without a line';

/** Messages of Yosys about its internals, with messages for the author of a design. */
const WORDS: readonly [pattern: RegExp, say: (names: readonly string[]) => string][] = [
  [/ in (?!project\/)\S*\/\S+\.(?:cc|h|y|l):\d+\.?$/, () => INTERNAL_ERROR],
  [
    /^wire '\\?(\w+)' is assigned in a block at .*$/,
    ([name]) => `\`${name}\` is a wire, and a block gives it its value: declare it as \`reg\``,
  ],
  [
    /^reg '\\?(\w+)' is assigned in a continuous assignment at .*$/,
    ([name]) => `\`${name}\` is a \`reg\`, and an \`assign\` gives it its value: declare it as \`wire\``,
  ],
  [
    /^no valid mapping found for memory (?:wishbench_\w+\.)?(?:user\.user\.)?(\S+)$/,
    ([memory]) =>
      `the memory ${memory} is written by more than one clock, or at two places at once, or is to be block RAM and is read without a clock, as no memory of the part is: write it in one block, at one clock, and read it in step with the clock or take its ram_style out`,
  ],
  [
    /^Output port (\S+) \((\S+)\) is connected to constants: .*$/,
    ([port, module]) =>
      `${port} is an output of ${module}, and is connected to a constant: connect it to a wire, or leave it open`,
  ],
  [
    /^Wire (?:wishbench_\w+\.)?\\?((?:user\.){0,2})(\S+?)( \[\d+\])? is used but has no driver\.?$/,
    ([within, name, bit]) =>
      within === 'user.'
        ? `the output of the slave that serves as ${name} is given no value`
        : `\`${name?.replace(/^\w+\.\\/, '').replaceAll('\\', '')}${bit?.trim()}\` is read, and nothing gives it a value`,
  ],
  [
    /^Resizing cell port (?:wishbench_\w+\.)?(\S+)\.([^.\s]+)\.([^.\s]+) from (\d+) bits? to (\d+) bits?\.?$/,
    ([module, instance, port, has, wants]) =>
      `the port ${port} of the instance ${instance} in ${module} has ${wants} bits, and its connection has ${has}`,
  ],
  [
    /^found logic loop in module (?:wishbench_\w+|(\S+)):$/,
    ([module]) =>
      `found logic loop${module ? ` in ${module}` : ''}: a signal depends on itself, with no register between`,
  ],
  [
    /^Range (?:\S+ )?select (?:\S+ )?out of bounds on signal [`']\\?(\S+?)['`]: Setting .*$/,
    ([signal]) =>
      `an index of \`${signal}\` lies beyond its bits: there is nothing to read or to write there`,
  ],
  [
    /^Replacing memory \\?(\S+) with list of registers\. See .*$/,
    ([array]) =>
      `\`${array}\` becomes registers with multiplexers between them, because it is used that way. For a few words that is fine; for many, write one word of it at a clock, so that it becomes a memory`,
  ],
];

/** Rewrites a message of Yosys in plain words; an unknown one stays as it is. */
export function inPlainWordsOfYosys(message: string): string {
  for (const [pattern, say] of WORDS) {
    const [, ...names] = pattern.exec(message) ?? [];
    if (pattern.test(message)) return say(names.map((name) => name ?? ''));
  }
  return message;
}
