// Checks the commands and routes of pages against the command line, package.json and the contract.
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

/** Scripts of package.json that pass their arguments to the `wishbench` command of the same name. */
const PASSED_ON = ['serve', 'worker', 'demo', 'doctor'];

/** A word in capitals, `…` or a variable of the shell stands for a value. */
const isPlaceholder = (word: string): boolean => /^[<[(]*[A-Z…$]/.test(word);

/** The words of a command, up to a pipe, a redirection, a comment or the next command. */
const wordsOf = (line: string): string[] =>
  (line.split(/\s(?:[|>#&]|\d>)|[;)`]/)[0] ?? '')
    .split(/\s+/)
    .map((word) => word.replaceAll(/^[[('"]+|[\])'",]+$/g, ''))
    .filter((word) => word !== '' && word !== '\\');

/** Checks the words after `wishbench` against the declared commands; null if they fit. */
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

/** Commands of npm and `wishbench`, in inline code and in shell blocks, with an unknown name, flag or path of tests. */
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
        const problem = PASSED_ON.includes(name) ? problemOf([name, ...wordsOf(rest)]) : null;
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

/** Routes that the service serves outside the contract. */
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

/** Routes in inline code (`GET /path`) and in calls of curl that are not in the contract. */
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
