import type { MatchedDesign, Port } from '../../contract/designs.ts';
import { nameTokens } from './port-names.ts';

type Tie = MatchedDesign['ties'][number];

const MARKS = new Set(['i', 'in', 'pad', 'pin', 'input']);

/** Names of extra inputs that a design wants at 1, by their last words. */
const ONES: [RegExp, string][] = [
  [/(?:^|_)(?:\w*oenb|oeb|oen|oe_n|oe_b)$/, 'an output enable that is active low'],
  [/(?:^|_)(?:rx|rxd|s?rx_?d?|sin|serin|ser_rx|uartrx|urx)$/, 'a serial line idles high'],
  [/(?:^|_)(?:scl|sda)$/, 'an I2C line idles high'],
  [/(?:^|_)(?:csn|csb|ssn|ssb|ncs|nss)$|(?:^|_)spi_(?:cs|ss)$/, 'a chip select idles high'],
  [/_n$/, 'active low by its name'],
  [/(?:^|_)(?:ce|cke|clk_?ena?|clken|clkena|clk_enable|clock_enable|clock_en|cen)$/, 'a clock enable'],
];

/** The value for an input that is not part of the bus: 0, save for names that are known to want 1. */
export function tieOf(port: Port): Tie {
  const tokens = nameTokens(port.name);
  while (tokens.length > 1 && MARKS.has(tokens.at(-1)!)) tokens.pop();
  while (tokens.length > 1 && tokens[0] === 'i') tokens.shift();
  const found = ONES.find(([pattern]) => pattern.test(tokens.join('_')));
  return {
    port: port.name,
    width: port.width,
    value: found ? 1 : 0,
    reason: found?.[1] ?? 'an input outside the bus',
  };
}
