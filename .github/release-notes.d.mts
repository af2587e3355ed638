export function releaseNotes(tag: string, version: string, changelog: string): string;
