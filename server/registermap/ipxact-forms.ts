import { EFFECTS, type Forms } from './forms.ts';

/** Text for people, paths in HDL, and data of other tools. */
const PASSED = 'displayName shortDescription description accessHandles vendorExtensions';
const ACCESS = 'access accessPolicies';
const LIST = 'dim array';
const PRESENT = 'isPresent parameters';

const ofField = {
  access: EFFECTS.access,
  modifiedWriteValue: EFFECTS.write,
  writeValueConstraint: EFFECTS.constraint,
  readAction: EFFECTS.read,
} as const;

const ofBlocks = {
  subspaceMap: 'is not read: its registers are in another component; insert the map of that component',
} as const;

/** The elements of memory maps: IEEE 1685-2009, -2014 and -2022. */
export const IPXACT_FORMS: Forms = {
  memoryMaps: { read: 'memoryMap', passed: '', unread: {} },
  memoryMap: {
    read: `name addressBlock bank addressUnitBits ${PRESENT}`,
    passed: `${PASSED} shared`,
    unread: {
      ...ofBlocks,
      memoryRemap:
        'is not read: it describes the map in another mode, and a map has one mode; put the other mode into a separate map',
    },
  },
  bank: {
    read: `name baseAddress addressBlock bank usage ${ACCESS} ${PRESENT}`,
    passed: `${PASSED} volatile`,
    unread: ofBlocks,
  },
  addressBlock: {
    read: `name baseAddress range usage register registerFile ${ACCESS} ${LIST} ${PRESENT}`,
    passed: `${PASSED} width typeIdentifier volatile`,
    unread: { access: EFFECTS.access },
  },
  registerFile: {
    read: `name addressOffset range register registerFile ${ACCESS} ${LIST} ${PRESENT}`,
    passed: `${PASSED} typeIdentifier volatile`,
    unread: { access: EFFECTS.access },
  },
  register: {
    read: `name description shortDescription addressOffset size reset field ${ACCESS} ${LIST} ${PRESENT}`,
    passed: `${PASSED} typeIdentifier volatile`,
    unread: {
      access: EFFECTS.access,
      alternateRegisters:
        'are not read: a map has one register per address, and these are alternative views of one; use the address, or put the alternative views into a separate map',
    },
  },
  array: { read: 'dim stride bitStride', passed: '', unread: {} },
  field: {
    read: `name description shortDescription bitOffset bitWidth resets reserved enumeratedValues fieldAccessPolicies ${ACCESS} ${LIST} ${PRESENT}`,
    passed: `${PASSED} typeIdentifier volatile testable`,
    unread: {
      ...ofField,
      aliasOf: 'is not in the map: it shares its bits with another field; a write to one changes the other',
    },
  },
  resets: { read: 'reset', passed: '', unread: {} },
  accessPolicies: { read: 'accessPolicy', passed: '', unread: {} },
  accessPolicy: { read: 'modeRef access', passed: 'vendorExtensions', unread: { access: EFFECTS.access } },
  fieldAccessPolicies: { read: 'fieldAccessPolicy', passed: '', unread: {} },
  fieldAccessPolicy: {
    read: 'modeRef access reserved',
    passed: 'testable vendorExtensions',
    unread: {
      ...ofField,
      readResponse:
        'is not in the map: it is the value that write-only bits read as; ignore what you read there',
      broadcasts: 'are not in the map: a write to this field also changes others; check them after you write',
      accessRestrictions:
        'are not in the map: some masters or modes have less access than the map says; check which',
    },
  },
  enumeratedValues: { read: 'enumeratedValue', passed: '', unread: {} },
  enumeratedValue: { read: 'name displayName value', passed: PASSED, unread: {} },
};
