import { Command, CommanderError, Option } from 'commander';
import { EXIT, UsageError } from './usage.ts';

const EPILOGUE = `
Every command has --help with an example; the options above may stand before its name and behind it. WHICH is a job's id, or a node 0 to 9 for its current or newest job.
Numbers may be decimal, 0x… or 0b…, with _ between digits. - is standard input or output.

A service is found by --url, --bench, $WISHBENCH_URL, the default of “wishbench benches”, else http://127.0.0.1:8000.
Who calls: --key, $WISHBENCH_KEY, the key of the bench, else your login name.
Exit codes: 0 done, 1 refused or failed, 2 wrong usage, 3 no service answers, 130 interrupted.
`;

/** What commander found wrong, in our words: one sentence. */
function usageError({ code, message }: CommanderError): UsageError {
  const quoted = /'([^']*)'/.exec(message)?.[1] ?? '';
  const option = /(--[\w-]+)/.exec(quoted)?.[1] ?? quoted;
  const meant = /Did you mean (?:one of )?([^?]+)\?/.exec(message)?.[1];
  const like = meant === undefined ? '' : ` Perhaps you mean ${meant}.`;
  switch (code) {
    case 'commander.unknownOption':
      return new UsageError(`There is no option ${quoted}.${like || ' --help lists them.'}`);
    case 'commander.unknownCommand':
      return new UsageError(`There is no command “${quoted}”.${like || ' --help lists them.'}`);
    // Options and no command, or the first word of two.
    case 'commander.help':
      return new UsageError('The name of a command is missing; --help lists them.');
    case 'commander.missingArgument':
      return new UsageError(`${quoted} is missing; --help has the usage.`);
    case 'commander.excessArguments':
      return new UsageError('There is one word too many; --help has the usage.');
    case 'commander.optionMissingArgument':
      return new UsageError(`${option} needs a value; --help has the usage.`);
    case 'commander.invalidArgument': {
      const choices = /Allowed choices are ([^.]+)\./.exec(message)?.[1];
      // An option's: “option '--as <FORM>' argument 'x' is invalid”; a word's: “value 'x' is invalid for argument 'shell'”.
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
 * What a command does with its words and its options; answers with the exit code. Parts of the service (the log, the store, schemas)
 * are loaded by it, not by its file: every command waits for what the files of commands load.
 */
type Action<A extends unknown[]> = (...args: A) => Promise<number>;

/** The words of a command as its usage has them. */
const wordsOf = (command: Command): string =>
  command
    .usage()
    .replace('[options]', '')
    .replace(/<([^>]+)>/g, '$1')
    .trim();

/**
 * Gives a command the options that were said before its name, in front of `wishbench` commands or of a group: what is
 * said behind the name counts more.
 * @throws UsageError for one that means nothing to the command.
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

/** Where the declarations of commands are added, and how. */
export class CommandLine {
  readonly program: Command;
  exitCode: number = EXIT.done;

  constructor(version: string) {
    this.program = withServiceOptions(new Command('wishbench'))
      .description('The FPGA lab bench: nodes, designs, registers.')
      .usage('[options] COMMAND [options]')
      .addHelpText('after', EPILOGUE)
      .helpCommand('help [COMMAND]', 'how a command is used')
      .showSuggestionAfterError(true)
      .exitOverride()
      // Said by the caller, once, as one sentence.
      .configureOutput({ writeErr: () => {} })
      .configureHelp({
        helpWidth: 110,
        subcommandTerm: (command) => `${command.name()} ${wordsOf(command)}`.trim(),
      })
      .version(version, '--version', 'print the version')
      .helpOption('-h, --help', 'say how a command is used');
  }

  /** Declares a name that only stands before commands. */
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
    // Options behind a command's name are that command's, also below one that has the same.
    const command = parent.enablePositionalOptions().command(signature);
    return command
      .description(summary)
      .allowExcessArguments(false)
      .addHelpText('after', exampleText(example))
      .action(async (...given) => {
        takeOptionsBefore(command);
        // The last of what commander hands on is the command itself.
        this.exitCode = await action(...(given.slice(0, -1) as A));
      });
  }

  /** Declares a command that asks a service. */
  asking<A extends unknown[]>(
    signature: string,
    summary: string,
    example: string,
    action: Action<A>,
    parent?: Command,
  ): Command {
    return withServiceOptions(this.command(signature, summary, example, action, parent));
  }

  /** Reads the command line and does what it says. @throws UsageError */
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

/** Options of every command that talks to a service; they may stand before its name, too. */
function withServiceOptions(command: Command): Command {
  return command
    .option('--url <URL>', 'where the service is')
    .option('--bench <NAME>', 'a bench of “wishbench benches”')
    .option('--key <KEY>', 'who you are: a name, or a key')
    .option('--bench-key <KEY>', 'who you are at the bench behind /benches/NAME in the address')
    .option('--session <ID>', 'the session that holds the node, or $WISHBENCH_SESSION_ID')
    .option('--fingerprint <SHA256>', 'trust this certificate of the service and no other')
    .option('--ca <FILE>', 'trust what this PEM file vouches for')
    .option('--json', 'print JSON');
}

export const choice = (flags: string, description: string, choices: readonly string[], value?: string) => {
  const option = new Option(flags, description).choices(choices);
  return value === undefined ? option : option.default(value);
};
