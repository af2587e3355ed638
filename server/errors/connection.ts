/** Why a connection to another computer failed or broke. */
export type ConnectionCause =
  | 'refused'
  | 'no_host'
  | 'no_route'
  | 'late'
  | 'certificate'
  | 'certificate_expired'
  | 'certificate_name'
  | 'not_tls'
  | 'cut';

/** Codes of the system (errno), of Node’s resolver, of OpenSSL’s verification and of Node’s HTTP parser. */
const CAUSES: readonly [RegExp, ConnectionCause][] = [
  [/^ECONNREFUSED$/, 'refused'],
  [/^(ENOTFOUND|EAI_\w+)$/, 'no_host'],
  [/^(EHOSTUNREACH|ENETUNREACH|EHOSTDOWN|ENETDOWN|EADDRNOTAVAIL)$/, 'no_route'],
  [/^(ETIMEDOUT|ABORT_ERR|ERR_SOCKET_CONNECTION_TIMEOUT|UND_ERR_CONNECT_TIMEOUT)$/, 'late'],
  [/^CERT_(HAS_EXPIRED|NOT_YET_VALID)$/, 'certificate_expired'],
  [/^ERR_TLS_CERT_ALTNAME/, 'certificate_name'],
  [/SELF_SIGNED|^UNABLE_TO_|^CERT_|^HOSTNAME_MISMATCH$/, 'certificate'],
  [/^(EPROTO$|ERR_SSL_|HPE_)/, 'not_tls'],
  [/^(ECONNRESET|EPIPE|ECONNABORTED)$/, 'cut'],
];

/** Why a connection failed, by the error's code or that of its cause; null where neither tells. */
export function connectionCause(error: unknown): ConnectionCause | null {
  for (let each: unknown = error; each instanceof Error; each = each.cause) {
    if (each.name === 'TimeoutError') return 'late';
    const code: unknown = 'code' in each ? each.code : undefined;
    if (typeof code !== 'string') continue;
    const [, cause = null] = CAUSES.find(([pattern]) => pattern.test(code)) ?? [];
    if (cause !== null) return cause;
  }
  return null;
}
