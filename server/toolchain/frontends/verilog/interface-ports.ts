import type { Diagnostic } from '../../../contract/diagnostics.ts';
import type { PreparedDesign } from '../../intake/prepared-design.ts';
import { type Piece, piecesOf } from '../../languages/verilog/outline-lexer.ts';
import { readingsOf } from '../../slave/port-names.ts';
import { reportedName } from '../../tool-paths.ts';
import { textOf } from './copies.ts';

/** Whether an interface has the signals of a slave's bus. */
function isBus(pieces: readonly Piece[]): boolean {
  const stems = new Set(
    pieces.flatMap(({ kind, text }) =>
      kind === 'word' ? readingsOf(text).flatMap(({ stem, weak }) => (weak ? [] : [stem])) : [],
    ),
  );
  return stems.has('ack') && (stems.has('stb') || stems.has('cyc'));
}

/** Interfaces of a text that can be the bus of a slave. */
function busesIn(pieces: readonly Piece[]): string[] {
  return pieces.flatMap(({ kind, text }, at) => {
    const name = pieces[at + 1];
    if (kind !== 'word' || text !== 'interface' || name?.kind !== 'word') return [];
    const end = pieces.findIndex((piece, n) => n > at && piece.text === 'endinterface');
    return isBus(pieces.slice(at, end < 0 ? undefined : end)) ? [name.text] : [];
  });
}

/**
 * Reports a module whose bus is an interface, when a design has no slave.
 * @returns null when no module has one
 */
export function slaveByInterface({ units, files }: PreparedDesign): Diagnostic | null {
  const texts = units.map((unit) => textOf(files, unit));
  if (!texts.some((text) => /\binterface\b/.test(text))) return null;
  const all = texts.map(piecesOf);
  const buses = new Set(all.flatMap(busesIn));
  for (const [n, pieces] of all.entries()) {
    let module: Piece | null = null;
    for (const [at, piece] of pieces.entries()) {
      if (piece.kind !== 'word') continue;
      if (piece.text === 'module') module = pieces[at + 1] ?? null;
      if (!module || !buses.has(piece.text) || !/^[(,]$/.test(pieces[at - 1]?.text ?? '')) continue;
      // `wb_if.slave bus`, but not the modport of a master
      const modport = pieces[at + 1]?.text === '.' ? (pieces[at + 2]?.text ?? '') : '';
      const port = pieces[at + (modport === '' ? 1 : 3)];
      if (port?.kind !== 'word' || /mast|init|ctrl|host/i.test(modport)) continue;
      return {
        severity: 'error',
        code: 'design_no_slave',
        message: `module ${module.text}: its bus is the interface ${piece.text} (port ${port.text}), but the bench connects only plain ports: write a top module with the ports that the log prints, and instantiate ${module.text} and ${piece.text} in it`,
        file: reportedName(units[n] ?? ''),
        line: (texts[n] ?? '').slice(0, module.start).split('\n').length,
        module: module.text,
      };
    }
  }
  return null;
}
