/** Builds dist/ when a source has changed since the last build. */
export function build(options?: { force?: boolean; prepares?: boolean }): void;
