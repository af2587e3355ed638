import { useEffect, useState } from 'react';
import type { DesktopSettings } from '../../../../preload/bridge.ts';
import { Button } from '../../components/Button.tsx';
import { Field, SelectField, Switch, TextField } from '../../components/Field.tsx';
import { Segmented } from '../../components/Segmented.tsx';
import { NUMBER_FORMATS } from '../../format/words.ts';
import { showRefusal } from '../../state/actions/actions.ts';
import { useBench, usePreference } from '../../state/client/context.tsx';
import { THEMES } from '../../state/page/preferences.ts';
import { text } from '../../text/text.ts';
import { Section } from './inputs.tsx';

const t = text.settings;

/** The switch for browser notifications: the browser asks for permission when it is switched on. */
function NotificationSwitch() {
  const client = useBench();
  const on = usePreference('notifications');
  const [permission, setPermission] = useState(() =>
    typeof Notification === 'undefined' || !window.isSecureContext ? 'insecure' : Notification.permission,
  );
  if (client.desktop) return null; // the desktop application notifies by itself
  const change = async (wanted: boolean) => {
    if (wanted && permission === 'default') {
      const answer = await Notification.requestPermission();
      setPermission(answer);
      client.preferences.setState({ notifications: answer === 'granted' });
    } else client.preferences.setState({ notifications: wanted });
  };
  return (
    <Switch
      label={t.notifications}
      checked={on && permission === 'granted'}
      disabled={permission === 'insecure' || permission === 'denied'}
      hint={
        permission === 'denied'
          ? t.notificationsDenied
          : permission === 'insecure'
            ? t.notificationsInsecure
            : undefined
      }
      onChange={(wanted) => void change(wanted)}
    />
  );
}

/** Settings that only this window stores; they take effect at once. */
export function WindowSection() {
  const client = useBench();
  const theme = usePreference('theme');
  const numberFormat = usePreference('numberFormat');
  const dismissed = usePreference('hintDismissed');
  return (
    <Section title={t.sections.window}>
      <Field label={t.theme}>
        {() => (
          <Segmented
            label={t.theme}
            value={theme}
            onChange={(next) => client.preferences.setState({ theme: next })}
            options={THEMES.map((id) => ({ id, label: t.themes[id] }))}
          />
        )}
      </Field>
      <Field label={t.numbers}>
        {() => (
          <Segmented
            label={t.numbers}
            value={numberFormat}
            onChange={(next) => client.preferences.setState({ numberFormat: next })}
            options={NUMBER_FORMATS.map((id) => ({ id, label: text.format[id] }))}
          />
        )}
      </Field>
      <NotificationSwitch />
      {dismissed && (
        <div>
          <Button onClick={() => client.preferences.setState({ hintDismissed: false })}>{t.hint}</Button>
        </div>
      )}
    </Section>
  );
}

/** Settings of the desktop application, which stores them. */
export function DesktopSection() {
  const client = useBench();
  const { desktop } = client;
  const [settings, setSettings] = useState<DesktopSettings | undefined>();
  const [feed, setFeed] = useState('');
  useEffect(() => {
    void desktop?.desktopSettings().then((found) => {
      setSettings(found);
      setFeed(found.updateFeed);
    });
  }, [desktop]);
  if (!desktop || !settings) return null;
  const change = async (changed: Partial<DesktopSettings>) => {
    try {
      setSettings(await desktop.changeDesktopSettings(changed));
    } catch (error) {
      showRefusal(client, error);
    }
  };
  return (
    <Section title={t.sections.desktop}>
      <Switch
        label={t.desktopNotifications}
        checked={settings.notifications}
        onChange={(notifications) => void change({ notifications })}
      />
      <SelectField
        label={t.tray}
        value={settings.closeToTray}
        options={(['while-busy', 'always'] as const).map((id) => ({ value: id, label: t.trays[id] }))}
        onChange={(event) =>
          void change({ closeToTray: event.target.value as DesktopSettings['closeToTray'] })
        }
      />
      <TextField
        label={t.feed}
        hint={t.feedHint}
        type="url"
        className="mono"
        value={feed}
        onChange={(event) => setFeed(event.target.value)}
        onBlur={() => feed !== settings.updateFeed && void change({ updateFeed: feed.trim() })}
      />
      <div className="row">
        <Button icon="file" onClick={() => void desktop.showLogs()}>
          {t.showLogs}
        </Button>
        <Button icon="download" onClick={() => void desktop.systemReport(true)}>
          {t.report}
        </Button>
      </div>
    </Section>
  );
}
