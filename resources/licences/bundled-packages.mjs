// Lists the packages whose code a bundle contains. The bundler itself reports them, so that none is missing.
import path from 'node:path';

/** Modules with the bundler's own code, by prefix of their ids. */
const OWN_CODE = { '\0rolldown/': 'rolldown', '\0vite/': 'vite' };

/**
 * The folder of a module's package, relative to the project; null for our own modules.
 * @throws Error when the package is unknown
 */
export function packageFolder(root, id) {
  const file = id.replace(/^\0/, '').split('?')[0].split(path.sep).join('/');
  const inPackage = /^(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(file);
  if (inPackage) return path.posix.relative(root.split(path.sep).join('/'), inPackage[1]);
  const own = Object.entries(OWN_CODE).find(([prefix]) => id.startsWith(prefix));
  if (own) return `node_modules/${own[1]}`;
  if (id.startsWith('\0')) throw new Error(`The bundle contains ${JSON.stringify(id)}: whose code is that?`);
  return null;
}

/** Collects the packages of several builds. */
export function bundledPackages(root) {
  const found = {};
  return {
    /** A Vite plugin that notes the packages in the bundle of this folder. */
    plugin: (bundle) => ({
      name: 'wishbench:bundled-packages',
      generateBundle(_options, output) {
        const folders = Object.values(output)
          .filter((file) => file.type === 'chunk')
          .flatMap((chunk) => Object.keys(chunk.modules))
          .map((id) => packageFolder(root, id))
          .filter((folder) => folder !== null);
        found[bundle] = [...new Set([...(found[bundle] ?? []), ...folders])].sort();
      },
    }),
    /** Package folders by bundle folder. */
    found: () => found,
  };
}
