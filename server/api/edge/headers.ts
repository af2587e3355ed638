/** The GUI's own files only: no inline script, no other host, no frame around it. */
const GUI_CSP = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "font-src 'self'",
  "connect-src 'self'",
  "worker-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Swagger UI sets style attributes from its scripts' templates and draws its icons from data URLs. */
const DOCS_CSP = GUI_CSP.replace("style-src 'self'", "style-src 'self' 'unsafe-inline'");

/** For every answer, page or not. */
const FOR_ALL = {
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'same-origin',
};

/** For files that are no pages: scripts, style sheets and fonts follow the policy of their page. */
const ASSET_HEADERS: Readonly<Record<string, string>> = Object.freeze({
  ...FOR_ALL,
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
});

const headersWith = (policy: string): Readonly<Record<string, string>> =>
  Object.freeze({
    ...FOR_ALL,
    'content-security-policy': policy,
    'x-frame-options': 'DENY',
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
    'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=(), serial=()',
  });
const GUI_HEADERS = headersWith(GUI_CSP);
const DOCS_HEADERS = headersWith(DOCS_CSP);

/** Headers of every answer; few for the page's files, because a slow line loads many. */
export function securityHeaders(path: string): Readonly<Record<string, string>> {
  if (path.startsWith('/assets/')) return ASSET_HEADERS;
  return path === '/docs' || path.startsWith('/docs/') ? DOCS_HEADERS : GUI_HEADERS;
}
