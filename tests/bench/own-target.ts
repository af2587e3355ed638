let targets = 0;

/**
 * A clock constraint for one build, MHz: that of the virtual board plus some millionths. With only a new comment, place
 * and route would take its earlier result; with another constraint it runs.
 */
export const ownTarget = (): number => 12 + ++targets / 1e6;
