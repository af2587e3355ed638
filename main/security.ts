import { type App, type Session, shell } from 'electron';
import type { Logger } from '../server/log.ts';

/** Opens an external link in the user's browser: http and https only. */
export async function openExternal(url: string, logger: Logger): Promise<void> {
  const protocol = URL.canParse(url) ? new URL(url).protocol : '';
  if (protocol !== 'http:' && protocol !== 'https:') {
    logger.warn({ protocol }, 'refused to open a link that is not http(s)');
    return;
  }
  await shell.openExternal(url);
}

/**
 * Forbids the window to leave the service's origin, open windows, embed other pages, or ask for permissions or devices.
 * Applies to every web contents.
 */
export function setupSecurity(app: App, session: Session, serviceOrigin: () => string, logger: Logger): void {
  session.setPermissionRequestHandler((_contents, _permission, answer) => answer(false));
  session.setPermissionCheckHandler(() => false);
  session.setDevicePermissionHandler(() => false);
  app.on('web-contents-created', (_event, contents) => {
    contents.on('will-navigate', (event, url) => {
      if (URL.canParse(url) && new URL(url).origin === serviceOrigin()) return;
      event.preventDefault();
      void openExternal(url, logger);
    });
    contents.on('will-attach-webview', (event) => event.preventDefault());
    contents.setWindowOpenHandler(({ url }) => {
      void openExternal(url, logger);
      return { action: 'deny' };
    });
  });
}
