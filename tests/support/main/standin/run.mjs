// node run.mjs <app folder> [arguments]: runs the application's real main bundle with `electron` resolved to the
// stand-in.
import fs from 'node:fs';
import { createRequire, register } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const appPath = path.resolve(process.argv[2] ?? '.');
const pkg = JSON.parse(fs.readFileSync(path.join(appPath, 'package.json'), 'utf8'));
const version = createRequire(import.meta.url)('electron/package.json').version;
globalThis.__standin = { appPath, pkg, version, packaged: process.env.ELECTRON_STANDIN_PACKAGED === '1' };
Object.defineProperties(process.versions, { electron: { value: version, enumerable: true } });
process.argv = [process.argv[0], appPath, ...process.argv.slice(3)];
register('./hooks.mjs', import.meta.url);
const electron = await import('electron');
if (process.env.ELECTRON_STANDIN_USER_DATA)
  electron.default.app.setPath('userData', process.env.ELECTRON_STANDIN_USER_DATA);
await import(pathToFileURL(path.join(appPath, pkg.main)).href);
await electron.__start();
