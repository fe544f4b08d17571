import { createHmac, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { later } from './closing.js';
import { CLIENT } from './oidc-server.js';

type Endpoint = 'metadata' | 'keys' | 'token' | 'userinfo';

/** What is wrong with an answer; nothing by default. */
export interface Trick {
  /** Of the ID token; `undefined` leaves a claim out. */
  readonly claims?: Readonly<Record<string, unknown>>;
  /** Of the ID token; `none` and `HS256` sign accordingly. */
  readonly header?: Readonly<Record<string, unknown>>;
  /** Signs with a key that the provider does not publish. */
  readonly otherKey?: boolean;
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly userinfo?: Readonly<Record<string, unknown>>;
  /** Answers an endpoint in another way. */
  readonly answer?: Partial<Record<Endpoint, (response: ServerResponse) => void>>;
}

/** Of the person who signs in there. */
export const EMAIL = 'ada@operator.example';

const newKey = () => generateKeyPairSync('rsa', { modulusLength: 2048 });
const [key, otherKey] = [newKey(), newKey()];
const seconds = () => Math.floor(Date.now() / 1_000);

/** An OpenID provider that does what a test says, on a free port; it is stopped when the test file ends. */
export class HostileProvider {
  /** Bytes of the answers that have been sent. */
  sent = 0;
  /** What it was asked for. */
  asked: Endpoint[] = [];
  trick: Trick = {};
  private nonce = '';

  private constructor(readonly issuer: string) {}

  static async start(): Promise<HostileProvider> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const provider = new HostileProvider(`http://localhost:${port}`);
    server.on('request', ({ url }, response) => {
      const endpoint = endpoints[url ?? ''] ?? 'metadata';
      provider.asked.push(endpoint);
      provider.answer(endpoint, response);
      response.once('close', () => (provider.sent += response.socket?.bytesWritten ?? 0));
    });
    later(async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    });
    return provider;
  }

  /** Where the provider sends a browser that came with this address. */
  back(location: string, changes: Readonly<Record<string, string>> = {}): string {
    const { searchParams } = new URL(location);
    this.nonce = searchParams.get('nonce') ?? '';
    const state = searchParams.get('state') ?? '';
    const answer = { code: 'a-code', state, iss: this.issuer, ...changes };
    return `/staff/sign-in/callback?${new URLSearchParams(answer).toString()}`;
  }

  private answer(endpoint: Endpoint, response: ServerResponse): void {
    const { answer, metadata, userinfo } = this.trick;
    const own = answer?.[endpoint];
    if (own) return own(response);
    const { issuer } = this;
    const bodies: Record<Endpoint, () => unknown> = {
      metadata: () => ({
        issuer,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
        userinfo_endpoint: `${issuer}/userinfo`,
        jwks_uri: `${issuer}/keys`,
        ...metadata,
      }),
      keys: () => ({
        keys: [{ ...key.publicKey.export({ format: 'jwk' }), kid: '1', use: 'sig' }],
      }),
      token: () => ({ access_token: 'any', token_type: 'Bearer', id_token: this.idToken() }),
      userinfo: () => ({ sub: 'mallory', ...userinfo }),
    };
    response.setHeader('Content-Type', 'application/json');
    response.end(JSON.stringify(bodies[endpoint]()));
  }

  private idToken(): string {
    const header = { alg: 'RS256', kid: '1', ...this.trick.header };
    const claims = {
      iss: this.issuer,
      aud: CLIENT.id,
      sub: 'mallory',
      iat: seconds(),
      exp: seconds() + 300,
      nonce: this.nonce,
      email: EMAIL,
      email_verified: true,
      ...this.trick.claims,
    };
    const text = [header, claims].map(encode).join('.');
    const { privateKey } = this.trick.otherKey ? otherKey : key;
    return `${text}.${signatureOf(header.alg, text, privateKey)}`;
  }
}

const endpoints: Readonly<Record<string, Endpoint>> = {
  '/keys': 'keys',
  '/token': 'token',
  '/userinfo': 'userinfo',
};

function encode(part: unknown): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url');
}

function signatureOf(alg: unknown, text: string, key: KeyObject): string {
  if (alg === 'none') return '';
  if (alg === 'HS256') return createHmac('sha256', CLIENT.secret).update(text).digest('base64url');
  return sign('sha256', Buffer.from(text), key).toString('base64url');
}
