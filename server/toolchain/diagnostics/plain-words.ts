/** Messages of Yosys that speak of its insides, and what they come to for the author of a design. */
const WORDS: readonly [pattern: RegExp, say: (names: readonly string[]) => string][] = [
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
    /^Re-definition of module [`']\\?([^`']+)['`]!?$/,
    ([module]) => `module ${module} is defined a second time: leave one of the two out`,
  ],
];

/** A message of Yosys in plain words, where its own speak of its insides; else as it is. */
export function inPlainWordsOfYosys(said: string): string {
  for (const [pattern, say] of WORDS) {
    const [, ...names] = pattern.exec(said) ?? [];
    if (pattern.test(said)) return say(names.map((name) => name ?? ''));
  }
  return said;
}
