import { Injectable, Logger } from '@nestjs/common';
import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  calculatePKCECodeChallenge,
  ClientSecretPost,
  type Configuration,
  discovery,
  fetchUserInfo,
  type IDToken,
  None,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
} from 'openid-client';
import { Unavailable } from '../../problems/problem.js';
import { Config } from '../../config/config.js';

/** Milliseconds after which the service reads the provider's metadata again. */
const METADATA_AGE = 60 * 60_000;
/** Seconds. */
const TIMEOUT = 10;

/** What the browser's cookie holds while the person is at the provider. */
interface SignInState {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
  readonly next: string;
}

/** A person at the provider: `issuer` and `subject` together never change hands. */
export interface ProviderIdentity {
  readonly issuer: string;
  readonly subject: string;
  readonly claims: Readonly<Record<string, unknown>>;
  /** The page that the person wanted. */
  readonly next: string;
}

/** Sign-in with an OpenID Connect provider: authorization code with PKCE, state and nonce. */
@Injectable()
export class OidcService {
  private readonly logger = new Logger(OidcService.name);
  private known: { readonly at: number; readonly configuration: Configuration } | undefined;

  constructor(private readonly config: Config) {}

  /** Where to send the browser, and the cookie that it keeps meanwhile. @throws {Unavailable} */
  async startSignIn(next: string): Promise<{ readonly url: string; readonly cookie: string }> {
    const configuration = await this.configuration();
    const state: SignInState = {
      state: randomState(),
      nonce: randomNonce(),
      verifier: randomPKCECodeVerifier(),
      next,
    };
    const url = buildAuthorizationUrl(configuration, {
      redirect_uri: this.redirectUri,
      scope: this.config.oidcScopes,
      state: state.state,
      nonce: state.nonce,
      code_challenge: await calculatePKCECodeChallenge(state.verifier),
      code_challenge_method: 'S256',
    });
    return { url: url.href, cookie: Buffer.from(JSON.stringify(state)).toString('base64url') };
  }

  /**
   * The person who has signed in; undefined where the provider has refused, or its answer does not
   * belong to this browser. openid-client checks signature, issuer, audience, times and nonce.
   * @param query of the address to which the provider has redirected
   * @throws {Unavailable} where the provider cannot be reached
   */
  async finishSignIn(
    query: string,
    cookie: string | undefined,
  ): Promise<ProviderIdentity | undefined> {
    const state = readState(cookie);
    if (!state) return undefined;
    const configuration = await this.configuration();
    try {
      const tokens = await authorizationCodeGrant(
        configuration,
        new URL(`${this.redirectUri}${query}`),
        {
          expectedState: state.state,
          expectedNonce: state.nonce,
          pkceCodeVerifier: state.verifier,
          idTokenExpected: true,
        },
      );
      const proven = tokens.claims() as IDToken;
      const claims = {
        ...(await this.userInfo(configuration, tokens.access_token, proven)),
        ...proven,
      };
      return { issuer: proven.iss, subject: proven.sub, claims, next: state.next };
    } catch (error) {
      if (isNetwork(error)) throw unreachable(error);
      this.logger.warn(`The provider's answer was refused: ${describe(error)}`);
      return undefined;
    }
  }

  /** OpenID Connect Core §5.4: the claims that the scopes ask for. */
  private async userInfo(
    configuration: Configuration,
    accessToken: string,
    { sub }: IDToken,
  ): Promise<Readonly<Record<string, unknown>>> {
    if (!configuration.serverMetadata().userinfo_endpoint) return {};
    return fetchUserInfo(configuration, accessToken, sub);
  }

  private get redirectUri(): string {
    return `${this.config.publicUrl}/staff/sign-in/callback`;
  }

  private async configuration(): Promise<Configuration> {
    const now = performance.now();
    if (this.known && now - this.known.at < METADATA_AGE) return this.known.configuration;
    const { oidcIssuer, oidcClientId, oidcClientSecret } = this.config;
    if (oidcIssuer === null) throw new Error('OIDC_ISSUER is not set.');
    const server = new URL(oidcIssuer);
    try {
      const configuration = await discovery(
        server,
        oidcClientId,
        undefined,
        oidcClientSecret === null ? None() : ClientSecretPost(oidcClientSecret),
        {
          timeout: TIMEOUT,
          // The setting allows http only for this machine.
          execute: server.protocol === 'http:' ? [allowInsecureRequests] : [],
        },
      );
      this.known = { at: now, configuration };
      return configuration;
    } catch (error) {
      if (this.known) return this.known.configuration;
      throw unreachable(error);
    }
  }
}

function readState(cookie: string | undefined): SignInState | undefined {
  try {
    const state = JSON.parse(Buffer.from(cookie ?? '', 'base64url').toString()) as SignInState;
    const texts = [state.state, state.nonce, state.verifier, state.next];
    return texts.every((text) => typeof text === 'string' && text !== '') ? state : undefined;
  } catch {
    return undefined;
  }
}

function unreachable(cause: unknown): Unavailable {
  return new Unavailable('The sign-in provider cannot be reached at the moment.', cause, 30);
}

/** `fetch` reports a broken connection as a TypeError, and a late answer by its name. */
function isNetwork(error: unknown): boolean {
  const cause = (error as { cause?: unknown }).cause ?? error;
  return [error, cause].some(
    (one) =>
      one instanceof Error &&
      (one.message === 'fetch failed' || one.name === 'TimeoutError' || 'syscall' in one),
  );
}

/** Only the provider's code: a log line must not contain untrusted text. */
function describe(error: unknown): string {
  const { code, error: word } = error as { code?: unknown; error?: unknown };
  return [code, word].filter((part) => /^[\w.-]{1,60}$/.test(String(part))).join(' ') || 'unknown';
}
