import { MAP_FORMAT_NAMES, SCRIPT_FORMATS } from '../choices.ts';
import { type CommandLine, choice, withServiceOptions } from '../command-line.ts';

/** Designs with their versions, and scripts. */
export function declareKeptDesigns(line: CommandLine): void {
  line.program.commandsGroup('Designs and scripts:');
  const load = () => import('../commands/kept-designs.ts');
  const designs = line
    .asking(
      'designs',
      'list the designs that were built, the last one first; those that are yours',
      'wishbench designs --all\nwishbench designs show echo-v-1a2b3c4d',
      async () => (await load()).designs,
    )
    .option('--owner <NAME>', 'only those of this owner')
    .option('--all', 'those of all owners')
    .option('--limit <N>', 'most designs', '100');
  withServiceOptions(
    line.declare(
      designs,
      'show <DESIGN>',
      'the versions of a design, newest first',
      'wishbench designs show echo-v-1a2b3c4d',
      async () => (await load()).showDesign,
    ),
  );
  withServiceOptions(
    line
      .declare(
        designs,
        'source <DESIGN> [JOB]',
        'the source of a version; without JOB of the newest',
        'wishbench designs source echo-v-1a2b3c4d -o echo.v',
        async () => (await load()).designSource,
      )
      .option('-o, --output <FILE>', 'where it goes', '-'),
  );
  declareMap(line);
  declareScript(line);
}

function declareMap(line: CommandLine): void {
  const load = () => import('../commands/register-maps.ts');
  const format = (says: string) => choice('--as <FORMAT>', says, MAP_FORMAT_NAMES);
  const map = line
    .group(
      'map',
      'show, import, export and propose the register maps of designs',
      'wishbench map import echo-v-1a2b3c4d chip.svd',
    )
    .usage('COMMAND [options]');
  withServiceOptions(
    line.declare(
      map,
      'show <WHERE>',
      'the registers of a design, or of the one that runs on a node',
      'wishbench map show 3',
      async () => (await load()).showMap,
    ),
  );
  withServiceOptions(
    line
      .declare(
        map,
        'propose <WHERE>',
        'what the source says of registers beyond the map; --accept puts it into the map',
        'wishbench map propose 3 --accept',
        async () => (await load()).proposeMap,
      )
      .option('--accept', 'put all of it into the map'),
  );
  withServiceOptions(
    line
      .declare(
        map,
        'import <WHERE> <FILE>',
        'keep a map from a file: SVD, IP-XACT, csr.csv, csr.json, CSV or JSON',
        'wishbench map import echo-v-1a2b3c4d chip.svd',
        async () => (await load()).importMap,
      )
      .addOption(format('what the file is; else its text says so')),
  );
  withServiceOptions(
    line
      .declare(
        map,
        'export <WHERE>',
        'the map of a design as a file',
        'wishbench map export 3 --as svd -o echo.svd',
        async () => (await load()).exportMap,
      )
      .addOption(format('what it becomes').default('json'))
      .option('-o, --output <FILE>', 'where it goes', '-'),
  );
  withServiceOptions(
    line.declare(
      map,
      'remove <WHERE>',
      'remove the map of a design',
      'wishbench map remove echo-v-1a2b3c4d',
      async () => (await load()).removeMap,
    ),
  );
}

function declareScript(line: CommandLine): void {
  const load = () => import('../commands/scripts.ts');
  const script = line
    .group(
      'script',
      'run, record, keep and export scripts: what is written, read and expected',
      'wishbench script run 3 check.json',
    )
    .usage('COMMAND [options]');
  withServiceOptions(
    line
      .declare(
        script,
        'run <NODE> [FILE]',
        'run a script on a node; without FILE the one that is kept with its design',
        'wishbench script run 3 check.json',
        async () => (await load()).runScript,
      )
      .option('--design <DESIGN>', 'the script of this design'),
  );
  withServiceOptions(
    line
      .declare(
        script,
        'report <WHICH>',
        'how the script of a design went after a build',
        'wishbench script report 3 --junit > report.xml',
        async () => (await load()).scriptReport,
      )
      .option('--junit', 'as XML, as CI servers read it'),
  );
  withServiceOptions(
    line.declare(
      script,
      'record <NODE>',
      'print what was done in the session, as a script',
      'wishbench script record 3 > check.json',
      async () => (await load()).recordScript,
    ),
  );
  withServiceOptions(
    line
      .declare(
        script,
        'export <WHERE>',
        'the same as a program; WHERE is a node, or a design for the script that is kept with it',
        'wishbench script export 3 --as py -o check.py',
        async () => (await load()).exportScript,
      )
      .addOption(choice('--as <LANGUAGE>', 'bash with curl, Python or TypeScript', SCRIPT_FORMATS, 'py'))
      .option('-o, --output <FILE>', 'where it goes', '-'),
  );
  withServiceOptions(
    line.declare(
      script,
      'show <DESIGN>',
      'print the script that is kept with a design',
      'wishbench script show echo-v-1a2b3c4d',
      async () => (await load()).showScript,
    ),
  );
  withServiceOptions(
    line.declare(
      script,
      'keep <DESIGN> <FILE>',
      'keep a script with a design: it runs on every build of it',
      'wishbench script keep echo-v-1a2b3c4d check.json',
      async () => (await load()).keepScript,
    ),
  );
  withServiceOptions(
    line.declare(
      script,
      'remove <DESIGN>',
      'remove the script of a design',
      'wishbench script remove echo-v-1a2b3c4d',
      async () => (await load()).removeScript,
    ),
  );
}
