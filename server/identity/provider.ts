import type { IdentityProvider } from '../contract/bench/settings.ts';
import { authError } from '../errors/auth.ts';
import { canOwnKeys, UNPRINTABLE } from './names.ts';

/** Time limit for one answer of the provider, ms. */
const TIMEOUT_MS = 5_000;
/** A userinfo or discovery answer is a few kilobytes. */
const MAX_ANSWER_BYTES = 256 * 1024;
/** How long a discovery document is cached, ms. */
const DISCOVERY_MS = 10 * 60_000;
/** The characters of a bearer token (RFC 6750 section 2.1). Any other could not be forwarded in a header. */
const BEARER = /^[A-Za-z0-9._~+/-]+=*$/;
/** The provider's answers to a token that is not its own: bad, unknown, wrong scope, or too long. */
const REFUSALS = new Set([400, 401, 403, 431]);

/** A user as its provider describes it. */
interface ProvidedUser {
  username: string;
  /** Its full name, where the provider has one. */
  name: string;
  /** Of the claim `groups`; empty where the provider has none. */
  groups: string[];
}

/** Asks the configured provider for the user of a token. */
export interface IdentityExchange {
  /**
   * The user that the provider confirms.
   * @throws BenchError invalid_provider_token, user_not_allowed, provider_unreachable, provider_not_configured.
   */
  user(provider: IdentityProvider, token: string): Promise<ProvidedUser>;
}

const unreachable = (message: string, cause?: unknown) =>
  authError('provider_unreachable', { message, ...(cause === undefined ? {} : { cause }) });

async function bodyOf(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += (chunk as Uint8Array).length;
    if (bytes > MAX_ANSWER_BYTES) throw unreachable('The answer of the identity provider is too large.');
    text += decoder.decode(chunk as Uint8Array, { stream: true });
  }
  return text;
}

/** One request without redirects: a token must only go where the operator configured it. */
async function ask(url: string, headers: Record<string, string>): Promise<{ status: number; text: string }> {
  try {
    const response = await fetch(url, {
      headers: { accept: 'application/json', 'user-agent': 'wishbench', ...headers },
      redirect: 'manual',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    return { status: response.status, text: await bodyOf(response) };
  } catch (error) {
    if (error instanceof Error && error.name === 'BenchError') throw error;
    const late = error instanceof Error && error.name === 'TimeoutError';
    throw unreachable(
      late
        ? `The identity provider did not answer within ${TIMEOUT_MS / 1000} s.`
        : 'The identity provider could not be reached.',
      error,
    );
  }
}

function jsonOf(text: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw unreachable('The identity provider did not answer in JSON.', error);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw unreachable('The identity provider did not answer with an object.');
  return value as Record<string, unknown>;
}

/** The user's document at `url`, read with the token. */
async function identityAt(url: string, token: string): Promise<Record<string, unknown>> {
  const { status, text } = await ask(url, { authorization: `Bearer ${token}` });
  if (REFUSALS.has(status)) throw authError('invalid_provider_token');
  if (status !== 200) throw unreachable(`The identity provider answered with status ${status}.`);
  return jsonOf(text);
}

function checkedName(value: unknown, claim: string, allowed: readonly string[]): string {
  const text = typeof value === 'number' ? String(value) : value;
  if (typeof text !== 'string' || text.trim() === '')
    throw unreachable(`The identity provider did not say who this is: its answer has no “${claim}”.`);
  const name = text.trim();
  if (!canOwnKeys(name))
    throw authError('user_not_allowed', { message: 'This username cannot be used on the bench.' });
  if (allowed.length > 0 && !allowed.includes(name)) throw authError('user_not_allowed');
  return name;
}

/** Maximum characters of a full name. */
const MAX_NAME_LENGTH = 128;

/** What courses need of a user's document besides its name on the bench. */
function detailsOf(username: string, { name, groups }: Record<string, unknown>): ProvidedUser {
  const full = typeof name === 'string' ? name.replace(new RegExp(UNPRINTABLE, 'gu'), ' ').trim() : '';
  return {
    username,
    name: full === '' ? username : full.slice(0, MAX_NAME_LENGTH),
    groups: Array.isArray(groups) ? groups.filter((one) => typeof one === 'string') : [],
  };
}

export function createIdentityExchange(now: () => number): IdentityExchange {
  const discovered = new Map<string, { userinfo: string; until: number }>();

  /** OpenID Connect Discovery 1.0, sections 4 and 4.3: the issuer must give its own name. */
  async function userinfoEndpoint(issuer: string): Promise<string> {
    const known = discovered.get(issuer);
    if (known && known.until > now()) return known.userinfo;
    const { status, text } = await ask(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`, {});
    if (status !== 200) throw unreachable(`The discovery document answered with status ${status}.`);
    const { issuer: ownName, userinfo_endpoint: userinfo } = jsonOf(text);
    if (ownName !== issuer && `${ownName}/` !== issuer && ownName !== `${issuer}/`)
      throw unreachable('The discovery document names another issuer.');
    if (typeof userinfo !== 'string' || !URL.canParse(userinfo))
      throw unreachable('The discovery document names no userinfo endpoint.');
    // The token goes there: never from https to plain http.
    if (new URL(issuer).protocol === 'https:' && new URL(userinfo).protocol !== 'https:')
      throw unreachable('The address of the userinfo endpoint does not begin with https://.');
    discovered.set(issuer, { userinfo, until: now() + DISCOVERY_MS });
    return userinfo;
  }

  return {
    async user(provider, token) {
      if (provider.kind === 'none') throw authError('provider_not_configured');
      if (!BEARER.test(token)) throw authError('invalid_provider_token');
      if (provider.kind === 'github') {
        const { login, name } = await identityAt(provider.user_url, token);
        return detailsOf(checkedName(login, 'login', provider.allowed_users), { name });
      }
      const userinfo = await identityAt(await userinfoEndpoint(provider.issuer), token);
      const claimed = userinfo[provider.username_claim];
      return detailsOf(checkedName(claimed, provider.username_claim, provider.allowed_users), userinfo);
    },
  };
}
