import { type RegisterMap, widthOf } from '../registers/map/register-map.ts';
import { ownName } from './hierarchy.ts';
import { baseName } from './waves/lanes.ts';
import type { ValueNames } from './waves/value-text.ts';

const NONE: ValueNames = {};

/** Names of a signal's values from the register map: those of a field or register of the same name and width. */
export function namesFromMap(map: RegisterMap | undefined, name: string, width: number): ValueNames {
  if (!map || width === 1) return NONE;
  const wanted = baseName(ownName(name)).toLowerCase();
  for (const register of map.registers)
    for (const field of register.fields) {
      const called = [field.name, ...(register.fields.length === 1 ? [register.name] : [])];
      if (field.values && widthOf(field) === width && called.some((one) => one.toLowerCase() === wanted))
        return field.values;
    }
  return NONE;
}
