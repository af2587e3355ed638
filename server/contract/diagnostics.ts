import Type, { type Static } from 'typebox';
import { component, enumOf } from './component.ts';

/**
 * A diagnostic of a design: from the scan, the matcher, Yosys, slang, GHDL, Amaranth or nextpnr. A failure, a scan and
 * a report carry it as data; the log shows the same text.
 */
export const Diagnostic = component(
  'Diagnostic',
  Type.Object({
    severity: enumOf(['error', 'warning', 'info']),
    code: Type.String({
      description: 'Kind of finding: a code of docs/errors.md, or `<tool>_error`, `<tool>_warning`.',
    }),
    message: Type.String({ description: 'One line.' }),
    file: Type.Optional(Type.String({ description: 'Name of the source file, as it was uploaded.' })),
    line: Type.Optional(Type.Integer({ minimum: 1, description: 'Counted from 1.' })),
    column: Type.Optional(Type.Integer({ minimum: 1, description: 'Counted from 1.' })),
    module: Type.Optional(Type.String({ description: 'The module concerned.' })),
    port: Type.Optional(Type.String({ description: 'The port of the design concerned.' })),
    net: Type.Optional(Type.String({ description: 'The net or cell concerned.' })),
    notes: Type.Optional(
      Type.Array(
        Type.Object({
          message: Type.String({ description: 'One line.' }),
          file: Type.Optional(Type.String()),
          line: Type.Optional(Type.Integer({ minimum: 1 })),
          column: Type.Optional(Type.Integer({ minimum: 1 })),
        }),
        { description: 'Related places, such as the declaration that a use contradicts.' },
      ),
    ),
  }),
);
export type Diagnostic = Static<typeof Diagnostic>;

/** Maximum diagnostics of one failure or report; the first ones of a tool's output explain the rest. */
export const MAX_DIAGNOSTICS = 100;

/** Why something failed: a code of the error catalogue with its two sentences, and the design's diagnostics. */
export const Failure = component(
  'Failure',
  Type.Object({
    error: Type.String({ description: 'A code of docs/errors.md.' }),
    message: Type.String({ description: 'What happened.' }),
    remedy: Type.String({ description: 'What to do.' }),
    diagnostics: Type.Optional(
      Type.Array(Diagnostic, {
        description: 'What the tools found in the design, the cause first; absent if nothing.',
      }),
    ),
  }),
);
export type Failure = Static<typeof Failure>;
