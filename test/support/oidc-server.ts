import { jest } from '@jest/globals';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { later } from './closing.js';

export const CLIENT = { id: 'availability', secret: 'a-secret-of-the-test' };

export interface Account {
  readonly email?: string;
  readonly email_verified?: boolean | string;
  readonly name?: string;
  readonly groups?: string[];
}

/** A real OpenID provider on a free port, stopped when the test file ends. */
export class OidcServer {
  /** By the user name there, which is also the subject. */
  readonly accounts = new Map<string, Account>();

  private constructor(readonly issuer: string) {}

  static async start(redirectUri: string): Promise<OidcServer> {
    // It warns that it is a provider for tests.
    for (const level of ['info', 'warn'] as const) jest.spyOn(console, level).mockReturnValue();
    const { default: Provider } = await import('oidc-provider');
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const issuer = `http://localhost:${(server.address() as AddressInfo).port}`;
    const oidc = new OidcServer(issuer);
    const provider = new Provider(issuer, {
      clients: [
        {
          client_id: CLIENT.id,
          client_secret: CLIENT.secret,
          redirect_uris: [redirectUri],
          token_endpoint_auth_method: 'client_secret_post',
        },
      ],
      claims: {
        openid: ['sub', 'groups'],
        email: ['email', 'email_verified'],
        profile: ['name'],
      },
      pkce: { required: () => true },
      cookies: { keys: ['of the test'] },
      findAccount: (_context, accountId) => ({
        accountId,
        claims: () => Promise.resolve({ sub: accountId, ...oidc.accounts.get(accountId) }),
      }),
    });
    const answer = provider.callback();
    server.on('request', (request, response) => void answer(request, response));
    later(async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    });
    return oidc;
  }

  /** Signs in there like a person. @returns the address to return to */
  async signIn(url: string, login: string): Promise<URL> {
    const cookies = new Map<string, string>();
    let next: { url: URL; body?: URLSearchParams } = { url: new URL(url) };
    for (let steps = 0; steps < 12; steps += 1) {
      if (!next.url.href.startsWith(this.issuer)) return next.url;
      const answer = await fetch(next.url, {
        redirect: 'manual',
        method: next.body ? 'POST' : 'GET',
        headers: { Cookie: [...cookies].map((pair) => pair.join('=')).join('; ') },
        ...(next.body && { body: next.body }),
      });
      for (const line of answer.headers.getSetCookie()) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
        cookies.set(name, value);
      }
      const location = answer.headers.get('location');
      const text = await answer.text();
      if (location !== null) next = { url: new URL(location, next.url) };
      else next = { url: next.url, body: formOf(text, login) };
    }
    throw new Error('The provider leads in circles.');
  }
}

/** Submits the provider's own page. */
function formOf(page: string, login: string): URLSearchParams {
  const prompt = /name="prompt" value="(\w+)"/.exec(page)?.[1];
  if (!prompt) throw new Error(`This is no form of the provider: ${page.slice(0, 300)}`);
  return new URLSearchParams({ prompt, login, password: 'any' });
}
