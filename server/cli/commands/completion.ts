import type { Argument, Command, Option } from 'commander';
import { SHELLS } from '../choices.ts';
import type { CommandLine } from '../command-line.ts';
import { EXIT } from '../usage.ts';

/** The command `completion`: scripts for shells. */
export function declareCompletion(line: CommandLine): void {
  line
    .command(
      'completion',
      'print the completion script for a shell',
      'source <(wishbench completion bash)\nwishbench completion fish > ~/.config/fish/completions/wishbench.fish',
      async (shell: (typeof SHELLS)[number]) => {
        process.stdout.write(completionScript(line.program, shell));
        return EXIT.done;
      },
    )
    .addArgument(line.program.createArgument('<SHELL>', 'the shell').choices(SHELLS));
}

/** What may follow at a word of a command. */
type Following = { kind: 'nothing' } | { kind: 'files' } | { kind: 'words'; words: readonly string[] };

const NODES = ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9'];

const followingName = (name: string): Following =>
  /^(NODE|WHICH)$/.test(name)
    ? { kind: 'words', words: NODES }
    : /^(FILE|DIR)$/.test(name)
      ? { kind: 'files' }
      : { kind: 'nothing' };

const afterArgument = (argument: Argument): Following =>
  argument.argChoices ? { kind: 'words', words: argument.argChoices } : followingName(argument.name());

/** The value of an option; null for an option without one. */
function afterOption(option: Option): Following | null {
  if (option.isBoolean()) return null;
  if (option.argChoices) return { kind: 'words', words: option.argChoices };
  return followingName(/ <([A-Z]+)>/.exec(option.flags)?.[1] ?? '');
}

const flagsOf = (option: Option): string[] => [option.short, option.long].filter((flag) => flag != null);

/** Every command with its full name, those of groups included. */
function commandsOf(program: Command): { path: string; command: Command }[] {
  return program.commands.flatMap((command) => [
    { path: command.name(), command },
    ...command.commands.map((below) => ({ path: `${command.name()} ${below.name()}`, command: below })),
  ]);
}

const bashWords = (following: Following): string =>
  following.kind === 'nothing'
    ? 'COMPREPLY=()'
    : following.kind === 'files'
      ? 'mapfile -t COMPREPLY < <(compgen -f -- "$cur"); compopt -o filenames 2>/dev/null'
      : `mapfile -t COMPREPLY < <(compgen -W "${following.words.join(' ')}" -- "$cur")`;

/** The values of each option as branches of a `case`. */
const bashOptions = (command: Command): string =>
  command.options
    .flatMap((option) => {
      const following = afterOption(option);
      return following ? [`        ${flagsOf(option).join('|')}) ${bashWords(following)}; return ;;`] : [];
    })
    .join('\n');

/** Bash: a function that finds the command, counts its words, and offers the next. */
function bash(program: Command): string {
  const commands = commandsOf(program);
  const valued = [
    ...new Set(
      [program, ...commands.map(({ command }) => command)]
        .flatMap(({ options }) => options)
        .filter((one) => afterOption(one))
        .flatMap(flagsOf),
    ),
  ];
  const first = [
    ...program.commands.map((one) => one.name()),
    'help',
    ...program.options.flatMap(flagsOf),
    '--help',
  ];
  const cases = commands.map(({ path, command }) => {
    const flags = [...command.options.flatMap(flagsOf), '--help'].join(' ');
    const args = command.registeredArguments.map(
      (argument, i) => `        ${argument.variadic ? '*' : i}) ${bashWords(afterArgument(argument))} ;;`,
    );
    const below = command.commands.map((one) => one.name()).join(' ');
    return `    "${path}")
      case "$prev" in
${bashOptions(command)}
      esac
      if [[ $cur == -* ]]; then mapfile -t COMPREPLY < <(compgen -W "${flags}" -- "$cur"); return; fi
      case $count in
${[...args, ...(below ? [`        0) mapfile -t COMPREPLY < <(compgen -W "${below}" -- "$cur") ;;`] : [])].join('\n')}
      esac ;;`;
  });
  return `# bash completion of wishbench: source <(wishbench completion bash)
_wishbench() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]} path="" count=0 i word
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
    case $word in
      ${valued.join('|')}) ((i++)); continue ;;
      -?*) continue ;;
    esac
    if [[ -z $path ]]; then path=$word
    elif [[ $count == 0 && " ${commands
      .filter(({ path }) => path.includes(' '))
      .map(({ path }) => path.replace(' ', ':'))
      .join(' ')} " == *" $path:$word "* ]]; then path="$path $word"
    else ((count++)); fi
  done
  case $path in
    "")
      case $prev in
${bashOptions(program)}
      esac
      mapfile -t COMPREPLY < <(compgen -W "${first.join(' ')}" -- "$cur") ;;
${cases.join('\n')}
  esac
}
complete -F _wishbench wishbench
`;
}

const zshQuoted = (text: string): string => text.replace(/'/g, "'\\''").replace(/[[\]:]/g, '\\$&');

const zshAction = (following: Following): string =>
  following.kind === 'nothing'
    ? ' '
    : following.kind === 'files'
      ? '_files'
      : `(${following.words.join(' ')})`;

const zshOptions = (command: Command): string[] =>
  command.options.flatMap((option) => {
    const following = afterOption(option);
    const tail = following ? `:${option.attributeName()}:${zshAction(following)}` : '';
    return flagsOf(option).map((flag) => `'${flag}[${zshQuoted(option.description)}]${tail}'`);
  });

/** Zsh: `_arguments` of every command. */
function zsh(program: Command): string {
  const names = program.commands.map((one) => `    '${one.name()}:${zshQuoted(one.description())}'`);
  const cases = program.commands.map((command) => {
    const args = command.registeredArguments.map(
      (argument, i) =>
        `'${argument.variadic ? '*' : i + 1}:${argument.name()}:${zshAction(afterArgument(argument))}'`,
    );
    const below = command.commands.map((one) => one.name()).join(' ');
    return `        ${command.name()}) _arguments ${[...zshOptions(command), ...args, ...(below ? [`'1:COMMAND:(${below})'`] : [])].join(' ')} ;;`;
  });
  return `#compdef wishbench
# zsh completion of wishbench: source <(wishbench completion zsh), after compinit
_wishbench() {
  local -a commands
  commands=(
${names.join('\n')}
  )
  _arguments -C ${zshOptions(program).join(' ')} '1: :->command' '*:: :->words'
  case $state in
    command) _describe command commands ;;
    words)
      case $words[1] in
${cases.join('\n')}
      esac ;;
  esac
}
compdef _wishbench wishbench
`;
}

const fishQuoted = (text: string): string => `'${text.replace(/[\\']/g, '\\$&')}'`;

/** @param where fish's condition for offering them */
const fishOptions = (command: Command, where: string): string[] =>
  command.options.map((option) => {
    const following = afterOption(option);
    const takes =
      following === null
        ? ''
        : following.kind === 'files'
          ? ' -r -F'
          : following.kind === 'words'
            ? ` -x -a ${fishQuoted(following.words.join(' '))}`
            : ' -x';
    const flags = `${option.short ? ` -s ${option.short.slice(1)}` : ''} -l ${option.long?.slice(2)}`;
    return `complete -c wishbench ${where}${flags}${takes} -d ${fishQuoted(option.description)}`;
  });

/** Fish: a line for every command and every option. */
function fish(program: Command): string {
  const lines = [
    '# fish completion of wishbench',
    'complete -c wishbench -f',
    ...fishOptions(program, '-n __fish_use_subcommand'),
  ];
  for (const command of program.commands) {
    const name = command.name();
    lines.push(
      `complete -c wishbench -n __fish_use_subcommand -a ${name} -d ${fishQuoted(command.description())}`,
    );
    const seen = `-n '__fish_seen_subcommand_from ${name}'`;
    lines.push(...fishOptions(command, seen));
    for (const following of command.registeredArguments.map(afterArgument))
      if (following.kind === 'files') lines.push(`complete -c wishbench ${seen} -F`);
      else if (following.kind === 'words')
        lines.push(`complete -c wishbench ${seen} -a ${fishQuoted(following.words.join(' '))}`);
    if (command.commands.length > 0)
      lines.push(
        `complete -c wishbench ${seen} -a ${fishQuoted(command.commands.map((one) => one.name()).join(' '))}`,
      );
  }
  return `${lines.join('\n')}\n`;
}

/** The completion script of a shell, from the declarations of the commands. */
function completionScript(program: Command, shell: (typeof SHELLS)[number]): string {
  switch (shell) {
    case 'bash':
      return bash(program);
    case 'zsh':
      return zsh(program);
    case 'fish':
      return fish(program);
  }
}
