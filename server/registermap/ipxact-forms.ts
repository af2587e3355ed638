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
        'is not read: it says how the map looks in another mode, and a map has one; put the other mode into a map of its own',
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
        'are not read: they are other views of a place that has its register, and a map has one register at an address; use the address, or put them into a map of their own',
    },
  },
  array: { read: 'dim stride bitStride', passed: '', unread: {} },
  field: {
    read: `name description shortDescription bitOffset bitWidth resets reserved enumeratedValues fieldAccessPolicies ${ACCESS} ${LIST} ${PRESENT}`,
    passed: `${PASSED} typeIdentifier volatile testable`,
    unread: {
      ...ofField,
      aliasOf:
        'is not in the map: its bits are those of another field, which changes with it; mind that when you write',
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
        'is not in the map: what a read of bits that are only written gives; ignore what you read there',
      broadcasts: 'are not in the map: a write changes other fields too; mind that when you write',
      accessRestrictions:
        'are not in the map: some masters or modes may not do what it says; mind that yourself',
    },
  },
  enumeratedValues: { read: 'enumeratedValue', passed: '', unread: {} },
  enumeratedValue: { read: 'name displayName value', passed: PASSED, unread: {} },
};
