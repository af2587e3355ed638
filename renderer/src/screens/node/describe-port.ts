import type { MatchedDesign } from '../../../../server/contract/designs/uploads.ts';
import { text } from '../../text/text.ts';

const t = text.node;

/** Facts on a port of the design: direction, width, and its role on the bus or elsewhere. */
export function describePort(design: MatchedDesign | undefined, name: string): string[] {
  const port = design?.ports.find((one) => one.name === name);
  if (!design || !port) return [];
  const facts = [t.port(port.direction, port.width)];
  const role = Object.entries(design.roles).find(([, of]) => of === name)?.[0];
  const tie = design.ties.find((one) => one.port === name);
  if (role !== undefined) facts.push(t.portRole(role));
  const pin = design.pins?.some((one) => one.name === name) ?? false;
  if (tie) facts.push((pin ? t.portPinAtFirst : t.portTied)(tie.value, tie.reason));
  else if (pin) facts.push(t.portPin);
  if (design.open.includes(name)) facts.push(t.portOpen);
  return facts;
}
