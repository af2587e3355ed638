/** A module of Yosys's RTLIL whose parameters were set when it was elaborated. */
export interface DerivedModule {
  /** As its source has it. */
  name: string;
  /** Names of the parameters that were set. */
  parameters: string[];
  /** Lines of RTLIL that say where it comes from. */
  origin: string;
  /** Those that declare its ports. */
  ports: string;
  /** Everything in it. */
  body: string;
}

/**
 * Finds derived modules in a text of RTLIL. Yosys names them `$paramod…\name`, or `$paramod\name\P=…` where the parameters
 * are short.
 */
export const derivedModules = (text: string): DerivedModule[] =>
  [
    ...text.matchAll(
      /((?:^attribute [^\n]*\n)*)^module \$paramod\S*?\\([a-z]\w*)(?:\\\S+)?\n([\s\S]*?)^end\n/gm,
    ),
  ].map(([, attributes = '', name = '', body = '']) => ({
    name,
    origin: attributes.replace(/^attribute \\(?!src |hdlname )[^\n]*\n/gm, ''),
    parameters: [...body.matchAll(/^ {2}parameter \\(\w+)/gm)].map(([, parameter = '']) => parameter),
    ports: [...body.matchAll(/^ {2}wire [^\n]*\b(?:in|out)put \d[^\n]*\n/gm)].join(''),
    body: body.replace(/^ {2}parameter \\[^\n]*\n/gm, ''),
  }));

/** A name for the module as it is synthesised, which no source can give to one of its own. */
export const aheadName = (name: string): string => `$paramod$ahead\\${name}`;

/** The module as RTLIL, without parameters. */
export const asModule = ({ name, origin, body }: DerivedModule): string =>
  `${origin}module ${aheadName(name)}\n${body}end\n`;

/** The module as a black box: its ports only. */
export const asBlackBox = ({ name, origin, ports }: DerivedModule): string =>
  `${origin}attribute \\blackbox 1\nmodule ${aheadName(name)}\n${ports}end\n`;
