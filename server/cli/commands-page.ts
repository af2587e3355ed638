import type { Command } from 'commander';
import { createCommandLine } from './program.ts';

const cell = (text: string): string => text.replaceAll('|', '\\|');

const rows = (command: Command, before = ''): string[] => {
  const name = `${before}${command.name()}`;
  const words = command
    .usage()
    .replaceAll(/\[(?:options|command)\]/g, '')
    .trim();
  return [
    `| \`${cell(`${name} ${words}`.trim())}\` | ${cell(command.description())} |`,
    ...command.commands.flatMap((below) => rows(below, `${name} `)),
  ];
};

/** The table of docs/cli.md: every command with what it does, in the groups of the help. */
export function commandsTable(): string {
  const { commands } = createCommandLine('0').program;
  const groups = [...new Set(commands.map((command) => command.helpGroup()))];
  return groups
    .map((group) =>
      [
        `**${group.replace(/:$/, '')}**`,
        '',
        '| Command | What it does |',
        '|---|---|',
        ...commands.filter((command) => command.helpGroup() === group).flatMap((command) => rows(command)),
      ].join('\n'),
    )
    .join('\n\n');
}
