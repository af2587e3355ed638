import http from 'node:http';
import type { AddressInfo } from 'node:net';
import Provider from 'oidc-provider';

const listen = (server: http.Server): Promise<string> =>
  new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () =>
      resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
    );
  });

/** A real OpenID Connect provider on loopback that accepts every account by its id. */
export class OidcIssuer {
  readonly url: string;
  readonly #server: http.Server;
  readonly #provider: Provider;

  private constructor(url: string, server: http.Server, provider: Provider) {
    this.url = url;
    this.#server = server;
    this.#provider = provider;
  }

  /** @param groups of an account */
  static async start(groups: (accountId: string) => readonly string[] = () => []): Promise<OidcIssuer> {
    let handle: http.RequestListener = () => {};
    const server = http.createServer((request, response) => handle(request, response));
    const url = await listen(server);
    // It warns of its in-memory adapter and of its keys for development: that is what it is here.
    const { warn, info } = console;
    Object.assign(console, { warn() {}, info() {} });
    const provider = new Provider(url, {
      clients: [{ client_id: 'wishbench-cli', client_secret: 'for-tests', redirect_uris: [`${url}/cb`] }],
      claims: { openid: ['sub'], profile: ['preferred_username', 'name', 'groups'] },
      scopes: ['openid', 'profile'],
      features: { devInteractions: { enabled: false } },
      ttl: { AccessToken: 600, Grant: 600 },
      cookies: { keys: ['for-tests'] },
      findAccount: (_context, id) => ({
        accountId: id,
        claims: () => ({ sub: id, preferred_username: `${id}@lab`, name: id, groups: [...groups(id)] }),
      }),
    });
    Object.assign(console, { warn, info });
    handle = provider.callback();
    return new OidcIssuer(url, server, provider);
  }

  /** An access token as its device or code flow would have issued it. */
  async token(accountId: string): Promise<string> {
    const grant = new this.#provider.Grant({ accountId, clientId: 'wishbench-cli' });
    grant.addOIDCScope('openid profile');
    const grantId = await grant.save();
    const client = await this.#provider.Client.find('wishbench-cli');
    if (!client) throw new Error('no client');
    const token = new this.#provider.AccessToken({
      accountId,
      client,
      grantId,
      gty: 'device_code',
      scope: 'openid profile',
    });
    return await token.save();
  }

  /** As its revocation endpoint would. */
  async revoke(token: string): Promise<void> {
    await (await this.#provider.AccessToken.find(token))?.destroy();
  }

  stop(): Promise<void> {
    this.#server.closeAllConnections();
    return new Promise((resolve) => this.#server.close(() => resolve()));
  }
}

/** An endpoint with preset answers. */
export class PlainProvider {
  readonly url: string;
  /** Requests that came, newest last. */
  readonly requests: { url: string; headers: http.IncomingHttpHeaders }[] = [];
  readonly #server: http.Server;

  private constructor(url: string, server: http.Server) {
    this.url = url;
    this.#server = server;
  }

  static async start(
    answer: (request: http.IncomingMessage, response: http.ServerResponse, url: string) => void,
  ): Promise<PlainProvider> {
    let made: PlainProvider | undefined;
    const server = http.createServer((request, response) => {
      made?.requests.push({ url: request.url ?? '', headers: request.headers });
      answer(request, response, made?.url ?? '');
    });
    made = new PlainProvider(await listen(server), server);
    return made;
  }

  stop(): Promise<void> {
    this.#server.closeAllConnections();
    return new Promise((resolve) => this.#server.close(() => resolve()));
  }
}
