import { EFFECTS, type Forms } from './forms.ts';
import type { XmlElement } from './xml.ts';

const LIST = 'dim dimIncrement dimIndex';
/** The C type of a list, and an enumeration of its places in the header. */
const LIST_IN_C = 'dimName dimArrayIndex';
const PROPERTIES = 'size access resetValue resetMask';

const ofField = {
  access: EFFECTS.access,
  modifiedWriteValues: EFFECTS.write,
  writeConstraint: EFFECTS.constraint,
  readAction: EFFECTS.read,
} as const;

/** The elements of CMSIS-SVD 1.3.10 (Open-CMSIS-Pack, CMSIS-SVD.xsd). */
export const SVD_FORMS: Forms = {
  device: {
    read: `name addressUnitBits ${PROPERTIES} peripherals`,
    passed:
      'vendor vendorID series version description licenseText cpu headerSystemFilename headerDefinitionsPrefix width protection vendorExtensions',
    unread: { access: EFFECTS.access },
  },
  peripherals: { read: 'peripheral', passed: '', unread: {} },
  peripheral: {
    read: `${LIST} name prependToName appendToName alternatePeripheral baseAddress ${PROPERTIES} registers`,
    passed: `${LIST_IN_C} version description groupName headerStructName protection addressBlock interrupt vendorExtensions`,
    unread: {
      access: EFFECTS.access,
      disableCondition:
        'is not evaluated: the registers are in the map even if the condition does not hold; check it before you read them',
    },
  },
  registers: { read: 'register cluster', passed: '', unread: {} },
  cluster: {
    read: `${LIST} name alternateCluster addressOffset ${PROPERTIES} register cluster`,
    passed: `${LIST_IN_C} description headerStructName protection vendorExtensions`,
    unread: { access: EFFECTS.access },
  },
  register: {
    read: `${LIST} name displayName description alternateGroup alternateRegister addressOffset ${PROPERTIES} fields`,
    passed: `${LIST_IN_C} protection dataType vendorExtensions`,
    unread: ofField,
  },
  fields: { read: 'field', passed: '', unread: {} },
  field: {
    read: `${LIST} name description bitOffset bitWidth lsb msb bitRange access enumeratedValues`,
    passed: `${LIST_IN_C} vendorExtensions`,
    unread: ofField,
  },
  enumeratedValues: { read: 'name usage enumeratedValue', passed: 'headerEnumName', unread: {} },
  enumeratedValue: {
    read: 'name value',
    passed: 'description',
    unread: {
      isDefault: ({ text }: XmlElement) =>
        /^\s*(?:true|1)\s*$/.test(text)
          ? 'is not read: it is the name of all other values; they stay numbers'
          : null,
    },
  },
};
