import { defineErrors } from './bench-error.ts';

/** Errors of credentials, origins and the exchange of identities for keys. */
export const authError = defineErrors({
  key_in_address: {
    status: 400,
    message: 'The address holds a key or a token.',
    remedy:
      'Send it in its header, such as X-API-Key. Logs and histories store addresses: revoke it if others can read them.',
  },
  missing_api_key: {
    status: 401,
    message: 'This request needs an API key.',
    remedy:
      'Ask the operator of the bench for a link or a key, or get one with POST /auth/idp/exchange, and send it in the X-API-Key header.',
  },
  invalid_api_key: {
    status: 401,
    message: 'This API key is unknown, has expired or was revoked.',
    remedy: 'Ask the operator of the bench for a new one, or get one with POST /auth/idp/exchange.',
  },
  invalid_operator_token: {
    status: 401,
    message: 'The operator token is wrong.',
    remedy: 'Leave the X-Operator-Token header out, or start the desktop application again.',
  },
  too_many_guesses: {
    status: 429,
    message: 'Too many wrong keys or tokens came from this address.',
    remedy: 'Wait for the seconds in the Retry-After header; the wait doubles with every further wrong one.',
  },
  not_session_holder: {
    status: 403,
    message: 'Another user holds this node.',
    remedy: 'Use another node, ask the holder to release it, or send the session id in X-Session-ID.',
  },
  not_design_owner: {
    status: 403,
    message: 'This design belongs to another user.',
    remedy: 'Submit the file yourself, then change your own design.',
  },
  too_many_keys: {
    status: 429,
    message: 'This user has the maximum number of keys.',
    remedy:
      'Revoke one that is not in use with DELETE /auth/keys/me, or ask the operator to do it, then try again.',
  },
  revocation_not_kept: {
    status: 503,
    message:
      'The key is refused, but the revocation is not on disk yet: a restart would make the key valid again.',
    remedy: 'Free space on the disk of the data directory or make it writable; the service keeps trying.',
  },
  invalid_invite: {
    status: 401,
    message: 'This invitation is unknown, has expired or was already used.',
    remedy: 'Ask the operator of the bench for a new link; each works once.',
  },
  invite_not_found: {
    status: 404,
    message: 'There is no open invitation with that id.',
    remedy: 'GET /auth/invites lists those that are open.',
  },
  key_not_found: {
    status: 404,
    message: 'There is no key with that id.',
    remedy: 'GET /auth/keys lists the keys.',
  },
  operator_only: {
    status: 403,
    message: 'Only the operator of the bench can do this.',
    remedy:
      'Do it in the desktop application, on the computer that the service runs on, or with a key that carries the operator’s right.',
  },
  host_not_allowed: {
    status: 403,
    message: 'The Host header does not name this service.',
    remedy:
      'Use the address that the service printed, or add the host name to the allowed hosts in the settings.',
  },
  origin_not_allowed: {
    status: 403,
    message: 'Web pages of other origins may not use this service.',
    remedy: 'Open the GUI of the service itself, follow a link to it, or call it from a program.',
  },
  invalid_provider_token: {
    status: 401,
    message: 'The identity provider did not accept the token.',
    remedy: 'Get a new access token from the provider and exchange that.',
  },
  user_not_allowed: {
    status: 403,
    message: 'This user may not use the bench.',
    remedy: 'Ask the operator to add the username to the allowed users in the settings.',
  },
  provider_unreachable: {
    status: 502,
    message: 'The identity provider could not be reached.',
    remedy:
      'Try again; if it happens again, the operator should check the provider’s address in the settings.',
  },
  provider_not_configured: {
    status: 503,
    message: 'No identity provider is configured.',
    remedy: 'The operator sets one in the settings (OpenID Connect issuer or GitHub-style endpoint).',
  },
});
