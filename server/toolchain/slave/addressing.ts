import type { Port } from '../../contract/designs/uploads.ts';
import type { AddressUse } from './candidate.ts';
import { nameTokens } from './port-names.ts';
import type { RoleMatch } from './roles.ts';

/** Whether a design counts addresses in bytes or in words, and why. */
export interface Addressing {
  addressing: 'byte' | 'word';
  /** The reason, as a clause. */
  reason: string;
  /** Why it may be the other way, as a clause. */
  doubt?: string;
}

/** Decides by the use of the two lowest address bits; null when the use does not tell. */
export function addressingOfUse(use: AddressUse | null): Addressing | null {
  if (use === null) return null;
  if (use.others.length > 0)
    return { addressing: 'word', reason: 'the design decodes addresses that are not multiples of four' };
  if (use.index)
    return { addressing: 'word', reason: 'the two lowest address bits select words of a memory' };
  if (use.unclear) return null;
  if (new Set(use.multiples).size >= 2)
    return { addressing: 'byte', reason: 'the design decodes only multiples of four' };
  if (use.multiples.length === 0 && use.highBits)
    return { addressing: 'byte', reason: 'the design does not read the two lowest address bits' };
  return null;
}

/** Decides by name and width. Where nothing else helps the width decides, and is wrong in about one of six designs. */
function addressingOfName(address: Port, roles: RoleMatch['roles']): Addressing {
  const { name, width } = address;
  const tokens = nameTokens(name);
  const data = [roles.dat_w?.name ?? '', roles.dat_r?.name ?? ''].map((one) => nameTokens(one).join(''));
  if (data.some((one) => /mosi|miso/.test(one)))
    return { addressing: 'word', reason: 'SpinalHDL uses these port names and word addresses' };
  if (data.some((one) => /dat[wr]$/.test(one)))
    return {
      addressing: 'word',
      reason: 'the contract, LiteX and Amaranth use these port names and word addresses',
    };
  if (/^i_?wb_?addr$/i.test(name))
    return { addressing: 'word', reason: 'ZipCPU cores use these port names and word addresses' };
  if (width <= 3) return { addressing: 'word', reason: `a ${width}-bit address is a register index` };
  if (width === 30) return { addressing: 'word', reason: 'a 30-bit address counts words' };
  if (tokens.at(-1) === 'i' && tokens.at(-2) === 'adr')
    return { addressing: 'byte', reason: 'OpenCores and Caravel use these port names and byte addresses' };
  return width >= 12
    ? { addressing: 'byte', reason: `most ${width}-bit addresses count bytes` }
    : { addressing: 'word', reason: `most ${width}-bit addresses of this name count registers` };
}

const ONLY_NAMES = 'the design does not show how it counts addresses; registers 1 and up may be elsewhere';

/** Whether the design ignores its address. */
const isUnused = ({ highBits, index, multiples, others, unclear }: AddressUse): boolean =>
  !highBits && !index && !unclear && multiples.length + others.length === 0;

/** Whether the ports have the names and widths of the documented contract. */
export const isContract = (roles: RoleMatch['roles']) =>
  roles.adr?.name === 'wb_adr' &&
  roles.adr.width <= 30 &&
  (roles.dat_w === undefined || roles.dat_w.name === 'wb_dat_w') &&
  (roles.dat_r === undefined || roles.dat_r.name === 'wb_dat_r');

/**
 * Decides between byte and word addresses. The first of these that tells decides: the caller, the absence of an address,
 * the width of the data, the declared low bound, the documented contract, the use in the elaborated design, name and
 * width.
 */
export function decideAddressing(
  use: AddressUse | null,
  roles: RoleMatch['roles'],
  dataWidth: number,
  requested: 'byte' | 'word' | undefined,
): Addressing {
  const address = roles.adr;
  if (requested) return { addressing: requested, reason: 'set by the form field addressing' };
  if (!address) return { addressing: 'word', reason: 'the design has no address' };
  const shown = addressingOfUse(use);
  const doubt = shown?.addressing === 'byte' && {
    doubt: `${shown.reason}; registers 1 and up may be elsewhere`,
  };
  if (dataWidth < 32)
    return { addressing: 'word', reason: `each 32-bit word has one ${dataWidth}-bit register`, ...doubt };
  if (address.offset >= 1)
    return {
      addressing: 'word',
      reason: `the address is declared [${address.offset + address.width - 1}:${address.offset}]`,
    };
  if (isContract(roles))
    return { addressing: 'word', reason: 'wb_adr of the contract is a word address', ...doubt };
  if (shown) return shown;
  const named = addressingOfName(address, roles);
  return use && isUnused(use) ? named : { ...named, doubt: ONLY_NAMES };
}
