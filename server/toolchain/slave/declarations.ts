import { type Declaration, MAX_DECLARATIONS } from '../../contract/designs/declarations.ts';
import type { PreparedDesign } from '../intake/prepared-design.ts';
import { reportedName } from '../tool-paths.ts';

/** Maximum bytes of a design in Yosys's form to look through. */
const MAX_BYTES = 8 << 20;

const PLACE = /^ *attribute \\src "([^":|]+):(\d+)/;
/** An instance's own copy of a module has the path after a dollar; one with parameters has them after its name. */
const MODULE = /^module (?:\\([^$\s]+)|\$paramod(?:\$[0-9a-f]+)?\\([^\\\s]+))/;
const WIRE = /^ {2}wire (?:width (\d+) )?(?:.*?(input|output|inout) \d+ )?(?:.* )?\\(\S+)$/;
const MEMORY = /^ {2}memory (?:width (\d+) )?(?:size (\d+) )?(?:.* )?\\(\S+)$/;
const CELL = /^ {2}cell \\([^$\s]+)\S* \\(\S+)$/;

/** Names of the source; others are the tools' own, or those of a dissolved instance. */
const PLAIN_NAME = /^[A-Za-z_][\w$]*$/;

type Member = Omit<Declaration, 'module' | 'file' | 'line'>;

/** The member that a line of Yosys's form declares. */
function memberIn(line: string): Member | null {
  const wire = WIRE.exec(line);
  if (wire) {
    const [, width = '1', direction, name = ''] = wire;
    return direction === undefined
      ? { name, kind: 'signal', width: Number(width) }
      : { name, kind: 'port', direction: direction as 'input' | 'output' | 'inout', width: Number(width) };
  }
  const memory = MEMORY.exec(line);
  if (memory) {
    const [, width = '1', words = '1', name = ''] = memory;
    return { name, kind: 'memory', width: Number(width), words: Number(words) };
  }
  const [, of, name] = CELL.exec(line) ?? [];
  return of === undefined || name === undefined ? null : { name, kind: 'instance', of };
}

/** What the modules of a design in Yosys's form declare, with the modules themselves, in its order. */
export function* membersOf(rtlil: string): Generator<Declaration> {
  let place: Pick<Declaration, 'file' | 'line'> = {};
  let module = '';
  for (const line of rtlil.split('\n')) {
    const [, file, row] = PLACE.exec(line) ?? [];
    if (file !== undefined) place = { file: reportedName(file), line: Math.max(1, Number(row)) };
    if (/^ *attribute /.test(line)) continue;
    const [, plain, parametrised] = MODULE.exec(line) ?? [];
    const named = plain ?? parametrised;
    if (named !== undefined) module = named;
    const member = named !== undefined ? { name: module, kind: 'module' as const } : memberIn(line);
    if (member && module !== '') yield { ...member, module, ...place };
    place = {};
  }
}

/** What the modules of a readable design declare, each once, with their places. */
export function declarationsOf({ files, netlists = [] }: PreparedDesign): Declaration[] {
  const found = new Map<string, Declaration>();
  for (const path of netlists) {
    const text = files[path];
    if (text === undefined || text.length > MAX_BYTES || path.endsWith('.json')) continue;
    for (const one of membersOf(Buffer.from(text).toString())) {
      const key = `${one.module} ${one.name}`;
      if (found.size < MAX_DECLARATIONS && PLAIN_NAME.test(one.name) && !found.has(key)) found.set(key, one);
    }
  }
  return [...found.values()];
}
