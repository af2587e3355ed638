import type { Diagnostic } from '../../contract/diagnostics.ts';
import { textOf } from './copies.ts';
import { type InterfaceShape, interfacesIn, interfacesOf } from './interface-shapes.ts';
import { levelClocks } from './level-clocks.ts';
import { membersInConstants } from './member-constants.ts';
import { missingMember } from './member-names.ts';
import type { PreparedDesign } from './prepared-design.ts';
import type { ElaboratedModule } from './rtlil.ts';
import { LONGEST, type SourcePieces, sourcePieces } from './source-pieces.ts';
import { bracketPairs, modulesOf, type Pieces, textAt } from './statements.ts';
import { reportedName } from './tool-paths.ts';

/** An interface, with those of its signals that have no value where it is used. */
interface Known {
  ports: ReadonlySet<string>;
  driven: ReadonlySet<string>;
}

/** Behind these a name is assigned to. */
const BEFORE_ASSIGNED = /^(?:assign|;|begin|else|end|\)|always_comb|always_latch)$/;

/** What an interface itself gives a value to. */
function drivenIn(
  pieces: Pieces,
  pairs: ReadonlyMap<number, number>,
  { from, to }: InterfaceShape,
): Set<string> {
  const driven = new Set<string>();
  for (let at = from; at < to; at++) {
    if (pieces[at]?.kind !== 'word' || !BEFORE_ASSIGNED.test(textAt(pieces, at - 1))) continue;
    let next = at + 1;
    while (textAt(pieces, next) === '[') next = (pairs.get(next) ?? to) + 1;
    if (textAt(pieces, next) === '<') next++;
    if (textAt(pieces, next) === '=' && textAt(pieces, next + 1) !== '=') driven.add(textAt(pieces, at));
  }
  return driven;
}

/** The names of the ports of an interface: the last word of each. */
const portsIn = (pieces: Pieces, { ports }: InterfaceShape): Set<string> =>
  new Set((ports?.items ?? []).map(([, to]) => textAt(pieces, to - 1)));

/** What is wrong with how one module uses interfaces, the first of it; its pieces are from one index to another. */
function wrongUse(
  { pieces, lines }: SourcePieces,
  pairs: ReadonlyMap<number, number>,
  [from, to]: readonly [number, number],
  known: ReadonlyMap<string, Known>,
): { line: number; said: string } | null {
  const { used, declared } = interfacesOf(pieces, pairs, [from, to], known);
  for (let at = from; at < to && used.size > 0; at++) {
    const name = textAt(pieces, at);
    const one = pieces[at]?.kind === 'word' && !declared.has(at) ? used.get(name) : undefined;
    const before = textAt(pieces, at - 1);
    if (!one) continue;
    const behind = textAt(pieces, at + 1) === '[' ? (pairs.get(at + 1) ?? at) + 1 : at + 1;
    const isMember = textAt(pieces, behind) === '.';
    // `.bus(…)` is a port of another module; `.bus` alone is connected to what has its name.
    if (before === '.' && !/^[,)]$/.test(textAt(pieces, at + 1))) continue;
    if (!isMember) {
      if (one.array === null || /^(?:end|:)$/.test(before)) continue;
      return {
        line: lines[one.array] ?? 1,
        said: `${name} is an array of the interface ${one.of}, and Yosys connects no part of one to a module: declare each of them with a name of its own, as in \`${one.of} ${name}_0(), ${name}_1();\``,
      };
    }
    const member = textAt(pieces, behind + 1);
    const { ports, driven } = known.get(one.of) ?? {};
    if (ports?.has(member))
      return {
        line: lines[at] ?? 1,
        said: `\`${name}.${member}\` is a port of the interface ${one.of}, which Yosys leaves without a value: declare ${member} as a signal in ${one.of}, and assign it beside the instance`,
      };
    if (driven?.has(member))
      return {
        line: lines[at] ?? 1,
        said: `\`${name}.${member}\` gets its value within the interface ${one.of}, and Yosys takes nothing but the signals of one: give it its value in the module that has the instance of ${one.of}`,
      };
  }
  return null;
}

/** Errors for interfaces that modules use in a way that Yosys builds as something else. */
function interfacesUsed(below: ReadonlySet<string>, { files, units }: PreparedDesign): Diagnostic[] {
  const texts = units.map((path) => ({ path, text: textOf(files, path) }));
  if (!texts.some(({ text }) => /\binterface\b/.test(text))) return [];
  const known = new Map<string, Known>();
  const read = texts
    .filter(({ text }) => text.length <= LONGEST)
    .map(({ path, text }) => {
      const source = sourcePieces(text);
      return { path, source, pairs: bracketPairs(source.pieces) };
    });
  for (const { source, pairs } of read)
    for (const shape of interfacesIn(source.pieces, pairs))
      known.set(shape.name, {
        ports: portsIn(source.pieces, shape),
        driven: drivenIn(source.pieces, pairs, shape),
      });
  return read.flatMap(({ path, source, pairs }) =>
    [...modulesOf(source.pieces)].flatMap(([module, from, to]) => {
      const wrong = below.has(module) ? wrongUse(source, pairs, [from, to], known) : null;
      return wrong
        ? [
            {
              severity: 'error' as const,
              code: 'design_invalid',
              message: `in ${module}, ${wrong.said}`,
              file: reportedName(path),
              line: wrong.line,
              module,
            },
          ]
        : [];
    }),
  );
}

/** What only says something, and is in no circuit. */
const SAYS = /\$(?:display|write|monitor|strobe|f?print|error|info|warning|fatal|assert)/;

/**
 * Errors for signals within instances that modules use as if they were their own, and for members of what a function gives back:
 * Yosys takes the name for a new wire.
 * @param below the modules that are built
 * @param diagnostics what Yosys said of them
 */
function reachedInto(
  below: ReadonlySet<string>,
  modules: readonly ElaboratedModule[],
  source: PreparedDesign,
  diagnostics: readonly Diagnostic[],
): Diagnostic[] {
  const byName = new Map(modules.map((module) => [module.name, module]));
  return diagnostics.flatMap((finding) => {
    const { net, file, line } = finding;
    if (!/ is declared nowhere\b/.test(finding.message) || !net?.includes('.') || line === undefined)
      return [];
    const inside = modules
      .filter(({ place }) => place.file === file && (place.line ?? line + 1) <= line)
      .reduce<ElaboratedModule | null>(
        (last, one) => ((last?.place.line ?? 0) > (one.place.line ?? 0) ? last : one),
        null,
      );
    if (inside && !below.has(inside.name)) return [];
    const path = source.units.find((unit) => reportedName(unit) === file) ?? '';
    const text = textOf(source.files, path);
    const at = { ...(file !== undefined && { file }), line, ...(inside && { module: inside.name }), net };
    const own = /^\w+(?=\.)/.exec(net)?.[0];
    if (own !== undefined && new RegExp(`\\bfunction\\b[^;(]{0,1000}\\b${own}\\s*[;(]`).test(text))
      return [
        {
          severity: 'error' as const,
          code: 'design_invalid',
          message: `Yosys makes a wire of \`${net}\`, a member of what the function gives back: declare a variable of its type in ${own}, and give it to ${own} at the end`,
          ...at,
        },
      ];
    if (!inside) return [];
    const message = missingMember(net, inside.name, source);
    if (message !== null) return [{ severity: 'error' as const, code: 'design_invalid', message, ...at }];
    const instance = inside.instances.find(({ name }) => net.startsWith(`${name}.`));
    const of = instance && byName.get(instance.module);
    if (of?.hollow === 'interface' || SAYS.test(text.split('\n')[line - 1] ?? '')) return [];
    if (!instance || !of)
      return [
        {
          severity: 'error' as const,
          code: 'design_invalid',
          message: `Yosys makes a wire without a value of \`${net}\`, which is of another module: give it to ${inside.name} through a port`,
          ...at,
        },
      ];
    const signal = net.slice(instance.name.length + 1);
    return [
      {
        severity: 'error' as const,
        code: 'design_invalid',
        message: `\`${net}\` reaches into the instance ${instance.name}, which only a simulation can: give ${of.name} an output for ${signal}, and connect it`,
        ...at,
      },
    ];
  });
}

/**
 * Errors for what modules use of others and of interfaces and Yosys would build as something without a value, and warnings for
 * registers that it would build as gates.
 */
export const outOfReach = (
  below: ReadonlySet<string>,
  modules: readonly ElaboratedModule[],
  source: PreparedDesign,
  diagnostics: readonly Diagnostic[],
): Diagnostic[] => [
  ...reachedInto(below, modules, source, diagnostics),
  ...interfacesUsed(below, source),
  ...membersInConstants(source),
  ...levelClocks(below, source),
];
