/** Builds dist/ when a source has changed since the last build. */
export function build(options?: { force?: boolean; prepares?: boolean }): void;

/** SHA-256 of the names and contents of files, given from the root. */
export function digest(files: string[]): string;

/** The files of a folder and its folders, from the root; none where there is no folder. */
export function filesBelow(folder: string): string[];
