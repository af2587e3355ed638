// Reads the netlists that GHDL writes.
import type { Gate, NameStep, Net, NetlistModule, NetlistPort } from './netlist.ts';

/** End of an input line: the driving net, as in `\clk{n1w1}`. */
const DRIVER = /\{n(\d+)w\d+\}$/;

/** `# rtl/half.vhd:4:34`: place of the next gate. */
const PLACE = /^# (.+):(\d+):(\d+)$/;

/** A parsed name, and the offset after it. */
interface ParsedName {
  steps: NameStep[];
  end: number;
}

/** Words may have the upper half of ISO 8859-1. */
const WORD = /[\w\x80-\xff]+/y;

/** Parses `\lanes.%1.\step`; `\\any text\` is an extended identifier. */
function parseName(line: string, from: number): ParsedName {
  const steps: NameStep[] = [];
  let at = from;
  for (;;) {
    const mark = line[at];
    if (mark === '\\' && line[at + 1] === '\\') {
      let close = at + 2;
      // A backslash inside is doubled.
      while (close < line.length && (line[close] !== '\\' || line[close + 1] === '\\'))
        close += line[close] === '\\' ? 2 : 1;
      steps.push({ kind: 'word', text: line.slice(at + 2, close).replaceAll('\\\\', '\\') });
      at = close + 1;
    } else {
      if (mark === '\\' || mark === '$' || mark === '%') at++;
      WORD.lastIndex = at;
      const text = WORD.exec(line)?.[0] ?? '';
      at += text.length;
      const isNumber = mark === '%' || (mark !== '\\' && mark !== '$' && /^\d+$/.test(text));
      steps.push(isNumber ? { kind: 'number', value: Number(text) } : { kind: 'word', text });
    }
    if (line[at] !== '.') return { steps, end: at };
    at++;
  }
}

/** A name as one text, joined by `_`. */
const joined = (steps: readonly NameStep[]): string =>
  steps.map((step) => (step.kind === 'word' ? step.text : String(step.value))).join('_');

/** Parses `input \wb_adr[3:0];` */
function parsePort(line: string, direction: NetlistPort['direction']): NetlistPort {
  const { steps, end } = parseName(line, direction.length + 1);
  const [, range] = /^\[(\?|\d+:0)\];$/.exec(line.slice(end)) ?? [];
  const width = range === undefined ? 1 : range === '?' ? 0 : Number.parseInt(range, 10) + 1;
  return { name: joined(steps), direction, width };
}

/** Parses `outputs \u.\q{n23w1} \u.\io{n25w4}` */
function parseOutputs(line: string): Net[] {
  const nets: Net[] = [];
  let at = 'outputs '.length;
  while (at < line.length) {
    at = parseName(line, at).end;
    const [all = ' ', id, width] = /^\{n(\d+)w(\d+)\} ?/.exec(line.slice(at, at + 32)) ?? [];
    if (id !== undefined) nets.push({ id: Number(id), width: Number(width) });
    at += all.length;
  }
  return nets;
}

type Open = { -readonly [key in keyof Gate]: Gate[key] } & { inputs: (number | null)[] };

/** The kind of a gate or the name of a module: one word with its mark. */
const kindIn = (line: string, from: number): string =>
  line[from] === '$' ? line.slice(from) : `\\${joined(parseName(line, from).steps)}`;

const isOfGhdl = (kind: string): boolean => kind.startsWith('$');

/**
 * Parses the output of `ghdl --synth --out=dump`: the netlist of `--out=raw` with each gate separate, and with places.
 * Unknown lines are ignored, because the string of an attribute may have several lines.
 * @param text as ISO 8859-1, GHDL's encoding of names
 */
export function parseNetlist(text: string): NetlistModule[] {
  const modules: NetlistModule[] = [];
  type OpenModule = {
    name: string;
    kind: string;
    generics: { name: string; type: string }[];
    inputs: NetlistPort[];
    outputs: NetlistPort[];
    self: Gate | null;
    gates: Gate[];
    indent: number;
  };
  const open: OpenModule[] = [];
  let gate: Open | null = null;
  let place: Gate['place'] = {};
  let isKept = false;
  for (const long of text.split('\n')) {
    const line = long.trimStart();
    const indent = long.length - line.length;
    while (open.length > 0 && indent <= (open.at(-1)?.indent ?? 0)) open.pop();
    const module = open.at(-1);
    if (line.startsWith('module ')) {
      const from = line.indexOf('} ') + 2;
      const kind = kindIn(line, from);
      const own: OpenModule = {
        name: kind.slice(1),
        kind,
        generics: [],
        inputs: [],
        outputs: [],
        self: null,
        gates: [],
        indent,
      };
      open.push(own);
      if (!isOfGhdl(kind)) modules.push(own);
      gate = null;
    } else if (module === undefined || isOfGhdl(module.kind)) {
      // GHDL declares its gates like modules.
    } else if (indent === module.indent + 2) {
      if (line.startsWith('# ')) {
        const [, file, row, column] = PLACE.exec(line) ?? [];
        if (file !== undefined)
          place = {
            file: Buffer.from(file, 'latin1').toString(),
            line: Number(row),
            column: Number(column),
          };
      } else if (line.startsWith('attribute keep of ')) isKept = / := "(?:true|1)";$/i.test(line);
      else if (line.startsWith('instance ')) {
        const { steps, end } = parseName(line, 'instance '.length);
        const [mark = '', id] = /^(?:\{i(\d+)\})?: /.exec(line.slice(end, end + 32)) ?? [];
        const kind = kindIn(line, end + mark.length);
        gate = {
          id: Number(id),
          name: steps,
          kind,
          parameters: [],
          inputs: [],
          outputs: [],
          place,
          isKept,
        };
        if (kind === module.kind && module.self === null) module.self = gate;
        else module.gates.push(gate);
        place = {};
        isKept = false;
      } else if (line.startsWith('input ')) module.inputs.push(parsePort(line, 'input'));
      else if (line.startsWith('output ')) module.outputs.push(parsePort(line, 'output'));
      else if (line.startsWith('parameter ')) {
        const { steps, end } = parseName(line, 'parameter '.length);
        module.generics.push({ name: joined(steps), type: line.slice(end + 2) });
      }
    } else if (gate !== null && indent === module.indent + 4) {
      if (line.startsWith('input ')) {
        const [, id] = DRIVER.exec(line) ?? [];
        gate.inputs.push(id === undefined ? null : Number(id));
      } else if (line.startsWith('outputs ')) gate.outputs = parseOutputs(line);
      else if (line.startsWith('parameters ') && isOfGhdl(gate.kind))
        gate.parameters = [...line.matchAll(/[ =](\d+)(?= |$)/g)].map(([, value]) => Number(value));
    }
  }
  return modules;
}
