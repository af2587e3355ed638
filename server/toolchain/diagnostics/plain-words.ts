/** What an assertion of Yosys comes to, of which it says where it stands in its own source and not where in that of the design. */
export const INTERNAL_ERROR = 'Yosys ended at an internal error of its own, and says no line';

/** Messages of Yosys that speak of its insides, and what they come to for the author of a design. */
const WORDS: readonly [pattern: RegExp, say: (names: readonly string[]) => string][] = [
  [/ in (?!project\/)\S*\/\S+\.(?:cc|h|y|l):\d+\.?$/, () => INTERNAL_ERROR],
  [
    /^can't enlarge buffer because scanner uses REJECT$/,
    () => 'a number, name or string of more than 65,535 characters is longer than the tools read',
  ],
  [
    /^System task `(\$(?:finish|stop))' executed\.?$/,
    ([task]) => `${task} ends a simulation: this is a testbench, and no design to be built`,
  ],
  [
    /^System task `(\$\w+)' outside initial block is unsupported\.?$/,
    ([task]) =>
      `${task} is for simulation only: put it between \`ifndef SYNTHESIS and \`endif, or take it out`,
  ],
  [
    /^Can't resolve (?:function|task) name [`']\\?(\$[\w$]+)['`]\.?$/,
    ([name]) =>
      `${name} is for simulation only: put it between \`ifndef SYNTHESIS and \`endif, or take it out`,
  ],
  [
    /^Only PACKED supported at this time$/,
    () =>
      'a `struct` or `union` is read where it is `packed`, and has neither arrays nor texts in it: write `struct packed`, and an array of words as one vector',
  ],
  [
    /^Found non-synthesizable event list!$/,
    () =>
      'this event list mixes edges with signals that have none, as no register does: give each a posedge or negedge, or none',
  ],
  [
    /^(?:Missing details for module port|Module port) [`']\\?([^`']+)['`](?: is neither input nor output)?[.!]?$/,
    ([port]) => `port ${port} has no direction: declare it as an input or an output`,
  ],
  [
    /^Identifier [`']\\?(\w+)(\.[^`']+)['`] is implicitly declared and `default_nettype is set to none\.?$/,
    ([name, rest]) =>
      `${name}${rest} is declared nowhere; where ${name} is an interface, the file that defines it is missing`,
  ],
  [
    /^Identifier [`']\\?([^`']+)['`] is implicitly declared and `default_nettype is set to none\.?$/,
    ([name]) => `${name} is declared nowhere, and \`default_nettype none wants that of every name`,
  ],
  [
    /^Identifier [`']\\?(\w+)::(\w+)['`] is implicitly declared outside of a module\.?$/,
    ([own, name]) =>
      `what a package takes from another one is not read by Yosys: write the value of ${own}::${name} out, or declare ${name} in this package`,
  ],
  [
    /^Identifier [`']\\?(\w+(?:\[\d+\])?)\.([\w.[\]]+)['`] is implicitly declared\.?$/,
    ([instance, name]) =>
      `\`${instance}.${name}\` is declared nowhere: where ${instance} is an instance, only a simulation can reach into it; give its module an output for ${name}`,
  ],
  [
    /^Identifier [`']\\?(\w+)['`] is implicitly declared\.?$/,
    ([name]) => `\`${name}\` is declared nowhere, and is taken for a wire of one bit`,
  ],
  [
    /^Identifier [`']\\?(\$\w+)['`] is implicitly declared\.?$/,
    ([name]) => `${name} is for simulation only, and has no value in a circuit: take it out`,
  ],
  [
    /^wire '\\?(\w+)' is assigned in a block at .*$/,
    ([name]) => `\`${name}\` is a wire, and a block gives it its value: declare it as \`reg\``,
  ],
  [
    /^reg '\\?(\w+)' is assigned in a continuous assignment at .*$/,
    ([name]) => `\`${name}\` is a \`reg\`, and an \`assign\` gives it its value: declare it as \`wire\``,
  ],
  [
    /^Interface found in port list \(\\?([^)]+)\)\./,
    ([port]) => `an interface as a port (${port}) is SystemVerilog: let the name of this file end with .sv`,
  ],
  [
    /^Re-definition of module [`']\\?([^`']+)['`]!?$/,
    ([module]) => `module ${module} is defined a second time: leave one of the two out`,
  ],
  [
    /^Can't resolve task name [`']\\?(wait)['`]\.?$/,
    ([name]) =>
      `\`${name}\` is for simulation only: let a register remember what is waited for, with an \`if\` at each clock`,
  ],
  [
    /^Can't resolve task name [`']\\?(break|continue)['`]\.?$/,
    ([word]) =>
      word === 'break'
        ? '`break` is not read by Yosys: remember in a variable that the loop is done, and put what follows into an `if`'
        : '`continue` is not read by Yosys: put the rest of the loop into an `if`',
  ],
  [
    /^Can't resolve function name [`']\\?(\w+)\.(next|prev|first|last|num|name)['`]\.?$/,
    ([value, method]) =>
      method === 'name'
        ? `\`${value}.name()\` is for simulation only: put it between \`ifndef SYNTHESIS and \`endif, or take it out`
        : `\`${value}.${method}()\`, a method of an enumeration, is not read by Yosys: ${METHODS[method ?? ''] ?? ''}`,
  ],
  [
    /^Can't resolve function name [`']\\?(\w+)\.(size|sum|product|and|or|xor|min|max|find\w*)['`]\.?$/,
    ([array, method]) =>
      `\`${array}.${method}()\`, a method of an array, is not read by Yosys: ${method === 'size' ? 'use a parameter for its size' : 'use a `for` over the indices'}`,
  ],
  [
    /^Invalid nesting of always blocks and\/or initializations\.$/,
    () =>
      'a variable of a block cannot be given a value where it is declared: give it one in a statement of its own',
  ],
  [
    /^Module name \((\w+)\) and end label \((\w+)\) don't match\.$/,
    ([module, label]) =>
      `the name behind \`endmodule\` is \`${label}\`, and the module is called \`${module}\``,
  ],
  [
    /^2nd expression of procedural for-loop is not constant!$/,
    () =>
      'this loop ends by a signal, and circuits are built before it has a value: let it run to a constant, with an `if` in it',
  ],
  [
    /^While loops are only allowed in constant functions!$/,
    () =>
      'a `while` cannot be built, for its number of passes is not known: use a `for` with a constant number, or a register that counts clocks',
  ],
  [
    /^Insufficient number of array indices for (\w+)\.$/,
    ([array]) =>
      `\`${array}\` is an array: it can be read and written one word at a time, as in \`${array}[0]\``,
  ],
  [
    /^Index in generate block prefix syntax is not constant!$/,
    () =>
      'a member of a word of an array, as in `a[i].b`, is read where the index is a constant: read the whole word into a variable of its type and take the member of that, and write whole words',
  ],
  [
    /^Left hand side of 1st expression of generate for-loop is not a genvar!$/,
    () => 'the variable of this `for` outside of `always` blocks has to be declared with `genvar`',
  ],
  [
    /^Module port [`']\\?([^`']+)['`] is not declared in module header\.$/,
    ([port]) =>
      `\`${port}\` has a direction and is not among the ports behind the name of the module: add it there`,
  ],
  [
    /^Mix of positional and named cell ports\.$/,
    () => 'this instance names some of its ports, as in `.a(b)`, and not the others: name all of them',
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
      `the port ${port} of the instance ${instance} in ${module} has ${wants} bits, and what is connected to it has ${has}`,
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
      `\`${array}\` becomes registers with multiplexers between them, for that is how it is used here. For a few words nothing is wrong with that; for many, write one word of it at a clock, so that it becomes a memory`,
  ],
  [
    /^Left operand of replicate expression is not constant!$/,
    () => 'how often something is repeated, as in `{8{a}}`, has to be a number or a parameter',
  ],
];

/** What stands in place of the methods of an enumeration. */
const METHODS: Readonly<Record<string, string>> = {
  next: 'add 1, or say in a `case` what follows each value',
  prev: 'subtract 1, or say in a `case` what comes before each value',
  first: 'name the value',
  last: 'name the value',
  num: 'use a parameter for how many values there are',
};

/** A message of Yosys in plain words, where its own speak of its insides; else as it is. */
export function inPlainWordsOfYosys(said: string): string {
  for (const [pattern, say] of WORDS) {
    const [, ...names] = pattern.exec(said) ?? [];
    if (pattern.test(said)) return say(names.map((name) => name ?? ''));
  }
  return said;
}
