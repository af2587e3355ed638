import type { Command } from 'commander';
import { createCommandLine } from '../../server/cli/program.ts';
import { code, table } from './markdown.ts';

function rowsOf(command: Command, before = ''): string[][] {
  const name = `${before}${command.name()}`;
  const words = command.usage().replaceAll(/\[(?:options|command)\]/g, '');
  const own = [code(`${name} ${words.trim()}`.trim()), command.description()];
  const below = command.commands.flatMap((one) => rowsOf(one, `${name} `));
  // A command that needs one of its own commands does nothing by itself.
  return words.trim() === 'COMMAND' ? below : [own, ...below];
}

/** The tables of docs/cli.md: every command with its purpose, in the groups of the help. */
export function commandsTables(): string {
  const { commands } = createCommandLine('0').program;
  return [...new Set(commands.map((command) => command.helpGroup()))]
    .map((group) => {
      const own = commands.filter((command) => command.helpGroup() === group);
      const rows = own.flatMap((command) => rowsOf(command));
      return `**${group.replace(/:$/, '')}**\n\n${table(['Command', 'What it does'], rows)}`;
    })
    .join('\n\n');
}
