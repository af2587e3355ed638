/** A module of RTLIL that was elaborated with parameters. */
export interface DerivedModule {
  /** Its name in the source. */
  name: string;
  /** Names of the set parameters. */
  parameters: string[];
  /** Lines of RTLIL with its origin. */
  origin: string;
  /** Lines that declare its ports. */
  ports: string;
  /** All its lines. */
  body: string;
}

/** Finds derived modules in RTLIL: `$paramod…\name`, or `$paramod\name\P=…` with short parameters. */
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

/** Name of a module of the base gates, which no source can use. */
export const aheadName = (name: string): string => `$paramod$ahead\\${name}`;

/** The module as RTLIL, without parameters. */
export const asModule = ({ name, origin, body }: DerivedModule): string =>
  `${origin}module ${aheadName(name)}\n${body}end\n`;

/** The module as a black box with its ports only. */
export const asBlackBox = ({ name, origin, ports }: DerivedModule): string =>
  `${origin}attribute \\blackbox 1\nmodule ${aheadName(name)}\n${ports}end\n`;
