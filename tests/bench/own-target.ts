let targets = 0;

/**
 * A clock constraint for one build, MHz: that of the virtual board and a millionth. A comment alone makes another build,
 * but place and route then has its earlier result; with another constraint it runs.
 */
export const ownTarget = (): number => 12 + ++targets / 1e6;
