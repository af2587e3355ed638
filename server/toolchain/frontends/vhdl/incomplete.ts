import type { Diagnostic } from '../../../contract/diagnostics.ts';
import { shortened } from '../../languages/verilog/source-pieces.ts';
import { vhdlSource } from '../../languages/vhdl/vhdl-places.ts';

const VECTOR = /^(?:std_u?logic_vector|u?n?signed|bit_vector|u_unsigned|u_signed)$/;

/** Example values by type. */
const EXAMPLES: readonly [type: RegExp, value: string][] = [
  [VECTOR, "(others => '0')"],
  [/^(?:std_u?logic|bit)$/, "'0'"],
  [/^(?:integer|natural|positive)$/, '1'],
  [/^boolean$/, 'false'],
  [/^string$/, '""'],
];

/** A declaration in `generic` or `port`: names, type, and whether a range follows. */
const DECLARED =
  /(?<names>\w+(?: , \w+)*) : (?:(?:in|out|inout|buffer) )?(?:\w+ \. )*(?<type>\w+)(?<range> \()?[^;]*?(?= ;|$)/g;

/** Reports what an entity lacks as a top: values of its generics, or ranges of its ports; null when it lacks none. */
export function incomplete(
  entity: string,
  texts: ReadonlyMap<string, string>,
): Pick<Diagnostic, 'message' | 'file' | 'line'> | null {
  for (const [file, text] of texts) {
    const { tokens } = vhdlSource(text);
    const head = tokens.findIndex(
      ({ text: word }, at) =>
        word === 'entity' && tokens[at + 1]?.text === entity && tokens[at + 2]?.text === 'is',
    );
    if (head < 0) continue;
    const end = tokens.findIndex(({ text: word }, at) => at > head && word === 'end');
    const words = tokens.slice(head, end < 0 ? undefined : end);
    const [, generics = '', ports = ''] =
      /^(?:.*? generic \( (.*?)(?: \) ;(?= port)| \) ;$))?(?:.*? port \( (.*) \) ;)?/.exec(
        words.map(({ text: word }) => word).join(' '),
      ) ?? [];
    const lineOf = (name: string) => words.find(({ text: word }) => word === name)?.line ?? 1;
    const open = [...generics.matchAll(DECLARED)]
      .filter(([whole]) => !whole.includes(': ='))
      .flatMap(({ groups }) =>
        (groups?.['names'] ?? '').split(' , ').map((name) => ({ name, type: groups?.['type'] ?? '' })),
      );
    const [first, ...others] = open;
    if (first) {
      const more =
        others.length > 1
          ? `, nor have ${others.length} others`
          : others.map(({ name }) => `, nor has \`${shortened(name)}\``).join('');
      const value = EXAMPLES.find(([type]) => type.test(first.type))?.[1];
      const example =
        value === undefined ? 'one after its type with `:=`' : `one after its type, as in \`:= ${value}\``;
      return {
        file,
        line: lineOf(first.name),
        message: `the generic \`${shortened(first.name)}\` of \`${entity}\` has no value${more}, and no instance sets one: write ${example}, or also upload the design that instantiates it`,
      };
    }
    for (const { groups } of ports.matchAll(DECLARED)) {
      const [name = ''] = (groups?.['names'] ?? '').split(' , ');
      const type = groups?.['type'] ?? '';
      if (VECTOR.test(type) && !groups?.['range'])
        return {
          file,
          line: lineOf(name),
          message: `the port \`${shortened(name)}\` of \`${entity}\` has no range, and no instance sets its width: write one after its type, as in \`${type}(31 downto 0)\``,
        };
    }
  }
  return null;
}
