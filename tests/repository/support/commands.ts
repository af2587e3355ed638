import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Command } from 'commander';
import { createCommandLine } from '../../../server/cli/program.ts';
import { ENDPOINTS } from '../../../server/contract/endpoints.ts';
import { appRoot } from '../../../server/paths.ts';
import { inlineCode, type Page, shellLines } from './pages.ts';

const { scripts } = JSON.parse(readFileSync(path.join(appRoot, 'package.json'), 'utf8')) as {
  scripts: Record<string, string>;
};
const { program } = createCommandLine('0');

/** Scripts of package.json that hand their words on to a command of the same name. */
const HANDED_ON = ['serve', 'worker', 'demo', 'doctor'];

/** A word in capitals or `…` stands for something. */
const isPlaceholder = (word: string): boolean => /^[<[(]*[A-Z…$]/.test(word);

/** The words of a command, up to where the shell begins something else. */
const wordsOf = (line: string): string[] =>
  (line.split(/\s(?:[|>#&]|\d>)|[;)`]/)[0] ?? '')
    .split(/\s+/)
    .map((word) => word.replaceAll(/^[[('"]+|[\])'",]+$/g, ''))
    .filter((word) => word !== '' && word !== '\\');

/** What is wrong with words behind `wishbench`, by the declarations of the command line; null for nothing. */
function problemOf(words: readonly string[]): string | null {
  let command: Command = program;
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? '';
    if (/^--?[a-z]/.test(word)) {
      const [flag = ''] = word.split('=');
      if (['--help', '-h', '--version'].includes(flag)) continue;
      const option = command.options.find(({ long, short }) => long === flag || short === flag);
      if (!option) return `${command.name()} has no ${flag}`;
      if (option.required && !word.includes('=')) at++;
    } else if (command.commands.length > 0) {
      if (isPlaceholder(word) || (command === program && word === 'help')) return null;
      const names = word.split('|');
      const found = names.map((name) => command.commands.find((below) => below.name() === name));
      const [next] = found;
      if (next && found.every((one) => one !== undefined)) command = next;
      else if (command === program || command.registeredArguments.length === 0) return `no command ${word}`;
    }
  }
  return null;
}

/** Commands of npm and `wishbench` in inline code and in shell that are none, or have a flag that is none. */
export function wrongCommands(page: Page): string[] {
  const texts = [...inlineCode(page), ...shellLines(page)];
  const npm = texts.flatMap((text) =>
    [...text.matchAll(/\bnpm (?:run )?([\w:-]+)(?: +-- +([^`]*))?/g)].flatMap(
      ([whole, name = '', rest = '']) => {
        const isRun = whole.startsWith('npm run');
        if (!isRun && name !== 'test' && name !== 'start') return [];
        if (!(name in scripts)) return [whole];
        if (name === 'test')
          return wordsOf(rest).filter(
            (word) => word.startsWith('tests/') && !existsSync(path.join(appRoot, word)),
          );
        const problem = HANDED_ON.includes(name) ? problemOf([name, ...wordsOf(rest)]) : null;
        return problem === null ? [] : [`${whole}: ${problem}`];
      },
    ),
  );
  const commands = texts.flatMap((text) =>
    [...text.matchAll(/(?:^\s*|[|;&(=]\s*|\$ |npx )wishbench +([^ ].*)/g)].flatMap(([, rest = '']) => {
      const problem = problemOf(wordsOf(rest));
      return problem === null ? [] : [`wishbench ${rest}: ${problem}`];
    }),
  );
  return [...npm, ...commands];
}

/** Addresses that the service has and the contract does not. */
const OUTSIDE = ['/', '/docs', '/openapi.json'];

const PATTERNS = Object.values(ENDPOINTS).map(({ method, path: route }) => ({
  method,
  pattern: new RegExp(
    `^(?:/benches/[^/]+)?${route.replace(/\/:path$/, '/.+').replaceAll(/:\w+/g, '[^/]+')}$`,
  ),
}));

const isRoute = (method: string | null, route: string): boolean =>
  OUTSIDE.includes(route) ||
  PATTERNS.some((one) => (method === null || one.method === method) && one.pattern.test(route));

/** Routes in inline code (`GET /path`) and in calls of curl that the contract does not have. */
export function wrongRoutes(page: Page): string[] {
  const named = inlineCode(page).flatMap((code) => {
    const [, method = '', route = ''] = /^(GET|POST|PUT|PATCH|DELETE) (\/[^?\s]*)/.exec(code) ?? [];
    return route === '' || route.includes('…') || isRoute(method, route) ? [] : [code];
  });
  const called = shellLines(page).flatMap((line) =>
    /\bcurl\b/.test(line)
      ? [...line.matchAll(/(?:\$\{?\w+\}?|https?:\/\/[\w.-]+(?::[\w$]+)?)(\/[\w$/{}.-]+)/g)]
          .map(([, route = '']) => route)
          .filter((route) => !isRoute(null, route))
      : [],
  );
  return [...named, ...called];
}
