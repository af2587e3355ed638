import type { ReactNode } from 'react';
import type { Settings } from '../../../../server/contract/bench/settings.ts';
import { EnforcementSwitch, HostsSetting, LanSwitch, ProviderSetting } from './AccessSections.tsx';
import { FolderSetting, QueueSetting, UnconfinedSetting } from './BenchSections.tsx';
import { DurationSetting } from './DurationSetting.tsx';
import { type Setting, settingsOf } from './draft.ts';
import { isDuration } from './duration.ts';
import { NumberSetting, SwitchSetting, TextSetting } from './inputs.tsx';
import { ListedBenches } from './ListedBenches.tsx';
import { TlsSetting } from './TlsSetting.tsx';

/** Settings with their own form: a confirmation, a certificate, a list. */
const OWN_FORMS: Readonly<Record<string, () => ReactNode>> = {
  'network.lan': LanSwitch,
  'network.tls': TlsSetting,
  // Part of the certificate's form.
  'network.tls_port': () => null,
  'network.allowed_hosts': HostsSetting,
  'auth.enforcement': EnforcementSwitch,
  'auth.identity_provider': ProviderSetting,
  'toolchain.tool_folder': FolderSetting,
  'toolchain.vhdl_without_sandbox': UnconfinedSetting,
  'toolchain.queue': QueueSetting,
  'benches.known': ListedBenches,
};

/** The form of one setting, from its entry in the contract. */
function SettingForm({ setting }: { setting: Setting<unknown> }) {
  const Own = OWN_FORMS[setting.key];
  if (Own) return <Own />;
  const { field } = setting;
  switch (field.kind) {
    case 'number':
      return isDuration(field) ? (
        <DurationSetting setting={setting as Setting<number | null>} field={field} />
      ) : (
        <NumberSetting setting={setting as Setting<number | null>} field={field} />
      );
    case 'switch':
      return <SwitchSetting setting={setting as Setting<boolean>} />;
    case 'text':
      return <TextSetting setting={setting as Setting<string | null>} field={field} />;
    case 'structured':
      throw new Error(`${setting.key} has no form.`);
  }
}

/** Every setting of a group. */
export function GroupFields({ group }: { group: keyof Settings }) {
  return settingsOf(group).map((setting) => <SettingForm key={setting.key} setting={setting} />);
}
