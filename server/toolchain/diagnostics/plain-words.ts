/** Message for an assertion of Yosys, which names a line of Yosys and not of the design. */
const INTERNAL_ERROR = 'Yosys failed with an internal error and named no line of the design';

/** Messages of Yosys about its internals, with messages for the author of a design. */
const WORDS: readonly [pattern: RegExp, say: (names: readonly string[]) => string][] = [
  [/ in (?!project\/)\S*\/\S+\.(?:cc|h|y|l):\d+\.?$/, () => INTERNAL_ERROR],
  [
    /^wire '\\?(\w+)' is assigned in a block at .*$/,
    ([name]) => `\`${name}\` is a wire but is assigned in a block: declare it as \`reg\``,
  ],
  [
    /^reg '\\?(\w+)' is assigned in a continuous assignment at .*$/,
    ([name]) => `\`${name}\` is a \`reg\` but is driven by an \`assign\`: declare it as \`wire\``,
  ],
  [
    /^no valid mapping found for memory (?:wishbench_\w+\.)?(?:user\.user\.)?(\S+)$/,
    ([memory]) =>
      `no RAM of the part fits the memory ${memory}: it has several write clocks, several writes per clock, or a ram_style for block RAM and an asynchronous read. Write it in one clocked block, and read it synchronously or remove its ram_style`,
  ],
  [
    /^Output port (\S+) \((\S+)\) is connected to constants: .*$/,
    ([port, module]) =>
      `${port} is an output of ${module} but is connected to a constant: connect it to a wire, or leave it open`,
  ],
  [
    /^Wire (?:wishbench_\w+\.)?\\?((?:user\.){0,2})(\S+?)( \[\d+\])? is used but has no driver\.?$/,
    ([within, name, bit]) =>
      within === 'user.'
        ? `the output of the slave that serves as ${name} has no driver`
        : `\`${name?.replace(/^\w+\.\\/, '').replaceAll('\\', '')}${bit?.trim()}\` is read, but nothing drives it`,
  ],
  [
    /^Resizing cell port (?:wishbench_\w+\.)?(\S+)\.([^.\s]+)\.([^.\s]+) from (\d+) bits? to (\d+) bits?\.?$/,
    ([module, instance, port, has, wants]) =>
      `port ${port} of instance ${instance} in ${module} has ${wants} bits, but its connection has ${has}`,
  ],
  [
    /^found logic loop in module (?:wishbench_\w+|(\S+)):$/,
    ([module]) =>
      `found logic loop${module ? ` in ${module}` : ''}: a signal depends on itself, with no register in between`,
  ],
  [
    /^Range (?:\S+ )?select (?:\S+ )?out of bounds on signal [`']\\?(\S+?)['`]: Setting .*$/,
    ([signal]) => `an index of \`${signal}\` is out of range: there is nothing to read or write there`,
  ],
  [
    /^Replacing memory \\?(\S+) with list of registers\. See .*$/,
    ([array]) =>
      `\`${array}\` becomes registers and multiplexers because of how it is used. That is fine for a few words; for many, write one word per clock, so that it becomes a memory`,
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
