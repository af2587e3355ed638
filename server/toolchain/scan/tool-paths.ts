/** Where the tools find the files of a project: apart from what the bench itself gives them. */
export const PROJECT_FOLDER = 'project/';

/**
 * Where the tools look for what a source of a project includes, apart from beside it and the top of the project: no file of a project
 * lies there, and `..` leads out of it six times.
 */
export const INCLUDE_FOLDER = `${PROJECT_FOLDER}${'-/'.repeat(6)}`;

/** A file as its author knows it, of the path by which a tool names it. */
export function reportedName(toolPath: string): string {
  const path = toolPath.replace(/^(?:\/design)?\/|^\.\//, '');
  return path.startsWith(PROJECT_FOLDER) ? path.slice(PROJECT_FOLDER.length) : path.replace(/^.*\//, '');
}
