/** Attributes of a memory that Yosys takes for an order: with a kind of RAM that the part has not, it ends. */
export const RAM_ATTRIBUTES = [
  'ram_style',
  'rom_style',
  'ramstyle',
  'romstyle',
  'syn_ramstyle',
  'syn_romstyle',
] as const;

/** What every part can follow: block RAM, flip-flops, or its own choice. */
const EVERYWHERE = ['auto', 'block', 'block_ram', 'ebr', 'logic', 'registers'];

/** What a part may have besides. */
const KINDS = {
  distributed: ['distributed', 'distributed_ram', 'lutram'],
  large: ['huge', 'ultra'],
} as const;

/**
 * Commands of Yosys before memories become RAM: an attribute with a word for RAM of parts of another kind, as
 * `(* ram_style = "distributed" *)` where there is none in look-up tables, is taken off, and the memory becomes what suits it.
 * @param has kinds of RAM that the part has besides block RAM
 */
export const forgetOtherRam = (has: readonly (keyof typeof KINDS)[]): string[] => {
  const known = [...EVERYWHERE, ...has.flatMap((kind) => KINDS[kind])];
  return [
    'select -set memories t:$mem_v2',
    ...RAM_ATTRIBUTES.map(
      (name) =>
        `setattr -unset ${name} @memories a:${name} %i ${known.map((word) => `a:${name}=${word} %d`).join(' ')}`,
    ),
  ];
};
