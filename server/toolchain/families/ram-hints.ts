/** Attributes that request a kind of RAM for a memory. Yosys fails when the part does not have that kind. */
export const RAM_ATTRIBUTES = [
  'ram_style',
  'rom_style',
  'ramstyle',
  'romstyle',
  'syn_ramstyle',
  'syn_romstyle',
] as const;

/** Values that every part supports: block RAM, flip-flops, or its own choice. */
const EVERYWHERE = ['auto', 'block', 'block_ram', 'ebr', 'logic', 'registers'];

/** Values for further kinds of RAM. */
const KINDS = {
  distributed: ['distributed', 'distributed_ram', 'lutram'],
  large: ['huge', 'ultra'],
} as const;

/**
 * Yosys commands that remove attributes for other kinds of RAM, such as `(* ram_style = "distributed" *)` where look-up
 * tables hold no memory. Yosys then chooses.
 * @param has kinds of RAM of the part, in addition to block RAM
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
