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

/** Milliseconds after which the provider's description is read again. */
const DESCRIPTION_AGE = 60 * 60_000;
/** Seconds. */
const TIMEOUT = 10;

/** What the browser keeps while it is at the provider; only the cookie of its own can end it. */
interface SignInState {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
  readonly next: string;
}

/** Who somebody is to the provider: `issuer` and `subject` together never change hands. */
export interface ProviderIdentity {
  readonly issuer: string;
  readonly subject: string;
  readonly claims: Readonly<Record<string, unknown>>;
  /** Where the person wanted to go. */
  readonly next: string;
}

/** The way to the OpenID Connect provider and back: authorization code with PKCE, state and nonce. */
@Injectable()
export class OidcService {
  private readonly logger = new Logger(OidcService.name);
  private known: { readonly at: number; readonly configuration: Configuration } | undefined;

  constructor(private readonly config: Config) {}

  /** Where to send the browser, and what it has to keep. @throws {Unavailable} */
  async leave(next: string): Promise<{ readonly url: string; readonly cookie: string }> {
    const configuration = await this.configuration();
    const errand: SignInState = {
      state: randomState(),
      nonce: randomNonce(),
      verifier: randomPKCECodeVerifier(),
      next,
    };
    const url = buildAuthorizationUrl(configuration, {
      redirect_uri: this.redirectUri,
      scope: this.config.oidcScopes,
      state: errand.state,
      nonce: errand.nonce,
      code_challenge: await calculatePKCECodeChallenge(errand.verifier),
      code_challenge_method: 'S256',
    });
    return { url: url.href, cookie: Buffer.from(JSON.stringify(errand)).toString('base64url') };
  }

  /**
   * Who has come back; undefined where the answer is not one to what this browser asked, or the
   * provider has refused. Signature, issuer, audience, times and nonce are held by openid-client.
   * @param query of the address to which the provider has sent the browser
   * @throws {Unavailable} where the provider cannot be reached
   */
  async comeBack(query: string, cookie: string | undefined): Promise<ProviderIdentity | undefined> {
    const errand = readState(cookie);
    if (!errand) return undefined;
    const configuration = await this.configuration();
    try {
      const tokens = await authorizationCodeGrant(
        configuration,
        new URL(`${this.redirectUri}${query}`),
        {
          expectedState: errand.state,
          expectedNonce: errand.nonce,
          pkceCodeVerifier: errand.verifier,
          idTokenExpected: true,
        },
      );
      const proven = tokens.claims() as IDToken;
      const claims = {
        ...(await this.told(configuration, tokens.access_token, proven)),
        ...proven,
      };
      return { issuer: proven.iss, subject: proven.sub, claims, next: errand.next };
    } catch (error) {
      if (isNetwork(error)) throw away(error);
      this.logger.warn(`The provider's answer was refused: ${describe(error)}`);
      return undefined;
    }
  }

  /** OpenID Connect Core §5.4: what scopes ask for is told at the UserInfo endpoint. */
  private async told(
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
    if (this.known && now - this.known.at < DESCRIPTION_AGE) return this.known.configuration;
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
          // Only on this machine is the setting allowed to say http.
          execute: server.protocol === 'http:' ? [allowInsecureRequests] : [],
        },
      );
      this.known = { at: now, configuration };
      return configuration;
    } catch (error) {
      if (this.known) return this.known.configuration;
      throw away(error);
    }
  }
}

function readState(cookie: string | undefined): SignInState | undefined {
  try {
    const errand = JSON.parse(Buffer.from(cookie ?? '', 'base64url').toString()) as SignInState;
    const texts = [errand.state, errand.nonce, errand.verifier, errand.next];
    return texts.every((text) => typeof text === 'string' && text !== '') ? errand : undefined;
  } catch {
    return undefined;
  }
}

function away(cause: unknown): Unavailable {
  return new Unavailable('The sign-in provider cannot be reached at the moment.', cause, 30);
}

/** `fetch` tells of a broken connection by a TypeError, and of a late answer by its name. */
function isNetwork(error: unknown): boolean {
  const cause = (error as { cause?: unknown }).cause ?? error;
  return [error, cause].some(
    (one) =>
      one instanceof Error &&
      (one.message === 'fetch failed' || one.name === 'TimeoutError' || 'syscall' in one),
  );
}

/** The provider's own words are not ours to trust in a log line: only its code. */
function describe(error: unknown): string {
  const { code, error: word } = error as { code?: unknown; error?: unknown };
  return [code, word].filter((part) => /^[\w.-]{1,60}$/.test(String(part))).join(' ') || 'unknown';
}
