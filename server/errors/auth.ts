import { defineErrors } from './bench-error.ts';

/** Who may call, from where, and the exchange of identities for keys. */
export const authError = defineErrors({
  missing_api_key: {
    status: 401,
    message: 'This request needs an API key.',
    remedy: 'Get one with POST /auth/idp/exchange and send it in the X-API-Key header.',
  },
  invalid_api_key: {
    status: 401,
    message: 'This API key is not known, has expired or was revoked.',
    remedy: 'Get a new one with POST /auth/idp/exchange.',
  },
  invalid_operator_token: {
    status: 401,
    message: 'The operator token is wrong.',
    remedy: 'Leave the X-Operator-Token header out, or start the desktop application again.',
  },
  not_session_holder: {
    status: 403,
    message: 'Somebody else holds this node.',
    remedy: 'Use another node, ask the holder to release it, or send the session id in X-Session-ID.',
  },
  key_not_found: {
    status: 404,
    message: 'There is no key of that id.',
    remedy: 'GET /auth/keys lists the keys.',
  },
  operator_only: {
    status: 403,
    message: 'Only the operator of the bench can do this.',
    remedy: 'Do it in the desktop application, or on the computer that the service runs on.',
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
    remedy: 'Open the GUI of the service itself, or call it from a program.',
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
    message: 'The identity provider could not be asked.',
    remedy: 'Try again; if it stays, the operator should check the provider’s address in the settings.',
  },
  provider_not_configured: {
    status: 503,
    message: 'No identity provider is configured.',
    remedy: 'The operator sets one in the settings (OpenID Connect issuer or GitHub-style endpoint).',
  },
});
