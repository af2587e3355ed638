/** The GUI's own files and nothing else: no inline script, no other host, no frame around it. */
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

const headersWith = (policy: string): Readonly<Record<string, string>> =>
  Object.freeze({
    'content-security-policy': policy,
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'referrer-policy': 'no-referrer',
    'cross-origin-resource-policy': 'same-origin',
    'cross-origin-opener-policy': 'same-origin',
    'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=(), serial=()',
  });
const GUI_HEADERS = headersWith(GUI_CSP);
const DOCS_HEADERS = headersWith(DOCS_CSP);

/** Headers that every answer has. */
export const securityHeaders = (path: string): Readonly<Record<string, string>> =>
  path === '/docs' || path.startsWith('/docs/') ? DOCS_HEADERS : GUI_HEADERS;
