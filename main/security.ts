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

/** What the window may do. */
interface WindowRights {
  /** The origin of the service, the only one that the window shows. */
  origin(): string;
  /** Whether the service's page may show notifications now. */
  mayNotify(): boolean;
}

/** What the service's page may always do. The first two are Electron's names for filling the screen. */
const ALWAYS: readonly string[] = ['fullscreen', 'automatic-fullscreen', 'clipboard-sanitized-write'];

/**
 * Forbids the window to leave the service's origin, open windows, embed other pages, or ask for devices or for
 * permissions other than to fill the screen, copy and notify. Applies to every web contents.
 */
export function setupSecurity(app: App, session: Session, rights: WindowRights, logger: Logger): void {
  const isOurs = (url: string) => URL.canParse(url) && new URL(url).origin === rights.origin();
  const isAllowed = (permission: string, url: string) =>
    isOurs(url) && (permission === 'notifications' ? rights.mayNotify() : ALWAYS.includes(permission));
  session.setPermissionRequestHandler((_contents, permission, answer, { requestingUrl }) =>
    answer(isAllowed(permission, requestingUrl)),
  );
  session.setPermissionCheckHandler((_contents, permission, origin) => isAllowed(permission, origin));
  session.setDevicePermissionHandler(() => false);
  app.on('web-contents-created', (_event, contents) => {
    contents.on('will-navigate', (event, url) => {
      if (isOurs(url)) return;
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
