import { Command, CommanderError, Option } from 'commander';
import { EXIT, UsageError } from './usage.ts';

const EPILOGUE = `
Every command has --help with an example; the options above may come before or after its name. WHICH is a job's id, or a node 0 to 9 for its current or newest job.
Numbers may be decimal, 0x… or 0b…, with _ between digits. - is standard input or output.

A service is found by --url, --bench, $WISHBENCH_URL, the default of “wishbench benches”, else http://127.0.0.1:8000.
Who calls: --key, $WISHBENCH_KEY, the key of the bench, else your login name.
Exit codes: 0 done, 1 refused or failed, 2 wrong usage, 3 no service answers, 130 interrupted.
`;

/** Rewrites an error of commander as one sentence. */
function usageError({ code, message }: CommanderError): UsageError {
  const quoted = /'([^']*)'/.exec(message)?.[1] ?? '';
  const option = /(--[\w-]+)/.exec(quoted)?.[1] ?? quoted;
  const meant = /Did you mean (?:one of )?([^?]+)\?/.exec(message)?.[1];
  const like = meant === undefined ? '' : ` Did you mean ${meant}?`;
  switch (code) {
    case 'commander.unknownOption':
      return new UsageError(`There is no option ${quoted}.${like || ' --help lists them.'}`);
    case 'commander.unknownCommand':
      return new UsageError(`There is no command “${quoted}”.${like || ' --help lists them.'}`);
    // Options without a command, or only the first word of two.
    case 'commander.help':
      return new UsageError('The command is missing; --help lists the commands.');
    case 'commander.missingArgument':
      return new UsageError(`${quoted} is missing; --help has the usage.`);
    case 'commander.excessArguments':
      return new UsageError('Too many arguments; --help has the usage.');
    case 'commander.optionMissingArgument':
      return new UsageError(`${option} needs a value; --help has the usage.`);
    case 'commander.invalidArgument': {
      const choices = /Allowed choices are ([^.]+)\./.exec(message)?.[1];
      // For an option: “option '--as <FORM>' argument 'x' is invalid”; for a word: “value 'x' is invalid for argument
      // 'shell'”.
      const [, ofOption, ofWord, word] =
        /argument '([^']*)' is invalid|value '([^']*)' is invalid for argument '([^']*)'/.exec(message) ?? [];
      const name = word?.toUpperCase() ?? option;
      return new UsageError(`${name} must be one of ${choices}, not “${ofOption ?? ofWord}”.`);
    }
    default:
      return new UsageError(`${message.replace(/^error: /, '').replace(/\.?$/, '.')} --help has the usage.`);
  }
}

const exampleText = (example: string): string => `\nExample:\n${example.replace(/^/gm, '  ')}\n`;

/**
 * Runs a command with its words and options, and returns the exit code. It loads parts of the service (the log, the
 * store, schemas) when it runs: every command waits for what the files of commands load.
 */
type Action<A extends unknown[]> = (...args: A) => Promise<number>;

/** The words of a command, as in its usage. */
const wordsOf = (command: Command): string =>
  command
    .usage()
    .replace('[options]', '')
    .replace(/<([^>]+)>/g, '$1')
    .trim();

/**
 * Applies the options before a command's name, after `wishbench` or a group. Options after the name take precedence.
 * @throws UsageError for an option that the command does not have
 */
function takeOptionsBefore(command: Command): void {
  for (let before = command.parent; before; before = before.parent)
    for (const option of before.options) {
      const name = option.attributeName();
      if (before.getOptionValueSource(name) !== 'cli') continue;
      if (!command.options.some(({ long }) => long === option.long))
        throw new UsageError(`There is no option ${option.long} for “${command.name()}”. --help lists them.`);
      if (command.getOptionValueSource(name) !== 'cli')
        command.setOptionValueWithSource(name, before.getOptionValue(name), 'cli');
    }
}

/** Collects the declarations of commands. */
export class CommandLine {
  readonly program: Command;
  exitCode: number = EXIT.done;

  constructor(version: string) {
    this.program = withServiceOptions(new Command('wishbench'))
      .description('The FPGA lab bench: nodes, designs, registers.')
      .usage('[options] COMMAND [options]')
      .addHelpText('after', EPILOGUE)
      .helpCommand('help [COMMAND]', 'show the help of a command')
      .showSuggestionAfterError(true)
      .exitOverride()
      // The caller prints the error once, as one sentence.
      .configureOutput({ writeErr: () => {} })
      .configureHelp({
        helpWidth: 110,
        subcommandTerm: (command) => `${command.name()} ${wordsOf(command)}`.trim(),
      })
      .version(version, '--version', 'print the version')
      .helpOption('-h, --help', 'show this help');
  }

  /** Declares a group of commands. */
  group(name: string, summary: string, example: string): Command {
    const group = withServiceOptions(this.program.command(name)).description(summary);
    return group.helpCommand(false).addHelpText('after', exampleText(example));
  }

  /** Declares a command, of `wishbench` or below another command. */
  command<A extends unknown[]>(
    signature: string,
    summary: string,
    example: string,
    action: Action<A>,
    parent = this.program,
  ): Command {
    // Options after a command's name belong to that command, even if a command above has the same.
    const command = parent.enablePositionalOptions().command(signature);
    return command
      .description(summary)
      .allowExcessArguments(false)
      .addHelpText('after', exampleText(example))
      .action(async (...given) => {
        takeOptionsBefore(command);
        // commander's last argument is the command itself.
        this.exitCode = await action(...(given.slice(0, -1) as A));
      });
  }

  /** Declares a command that calls a service. */
  asking<A extends unknown[]>(
    signature: string,
    summary: string,
    example: string,
    action: Action<A>,
    parent?: Command,
  ): Command {
    return withServiceOptions(this.command(signature, summary, example, action, parent));
  }

  /** Parses the command line and runs the command. @throws UsageError */
  async run(args: readonly string[]): Promise<number> {
    try {
      await this.program.parseAsync(args.length === 0 ? ['--help'] : args, { from: 'user' });
    } catch (error) {
      if (!(error instanceof CommanderError)) throw error;
      if (error.exitCode === 0) return EXIT.done;
      throw usageError(error);
    }
    return this.exitCode;
  }
}

/** Adds the options of every command that calls a service; they may also come before its name. */
function withServiceOptions(command: Command): Command {
  return command
    .option('--url <URL>', 'address of the service')
    .option('--bench <NAME>', 'name of a bench, from “wishbench benches”')
    .option('--key <KEY>', 'your name or your API key')
    .option('--bench-key <KEY>', 'your API key at the bench that /benches/NAME in the address names')
    .option('--session <ID>', 'id of the session on the node, or $WISHBENCH_SESSION_ID')
    .option('--fingerprint <SHA256>', 'trust only this certificate of the service')
    .option('--ca <FILE>', 'trust the certificates of this PEM file')
    .option('--json', 'print JSON');
}

export const choice = (flags: string, description: string, choices: readonly string[], value?: string) => {
  const option = new Option(flags, description).choices(choices);
  return value === undefined ? option : option.default(value);
};
