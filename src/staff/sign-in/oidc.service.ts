import { Injectable, Logger } from '@nestjs/common';
import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  calculatePKCECodeChallenge,
  ClientSecretPost,
  type Configuration,
  customFetch,
  discovery,
  enableNonRepudiationChecks,
  fetchUserInfo,
  type IDToken,
  None,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
  type CustomFetch,
} from 'openid-client';
import { Problem, Unavailable } from '../../platform/problems/problem.js';
import { Config } from '../../platform/config/config.js';
import { sendRequest } from '../../platform/kernel/outgoing-request.js';
import { type Claims, joinClaims, provenEmail, valuesOf } from './provider-claims.js';

/** Bytes of an answer. Metadata and key sets have some kB. */
const MOST = 1024 * 1024;
/** Milliseconds, where openid-client sets none. */
const LONGEST = 5_000;
/** Their answers have no body: Fetch Standard, null body status. */
const BODILESS = [204, 205, 304];

/**
 * As `fetch`, with the whole answer read: the signal of the request bounds its time, and an answer of
 * more than `MOST` bytes is an error. Names are resolved outside the thread pool.
 */
export const fetchBounded: CustomFetch = async (
  url,
  { method, headers, body, signal = AbortSignal.timeout(LONGEST) },
) => {
  const answer = await sendRequest(new URL(url), {
    method,
    headers,
    ...(body && { body: await new Response(body as BodyInit).text() }),
    signal,
    mostRead: MOST,
  }).catch((error: unknown) => {
    throw signal.aborted ? error : new TypeError('fetch failed', { cause: error });
  });
  if (!answer.isWhole) throw new Error('The answer is too large.');
  const { status, statusText } = answer;
  return new Response(BODILESS.includes(status) ? null : answer.body, {
    status,
    statusText,
    headers: Object.entries(answer.headers).map(([name, value]): [string, string] => [
      name,
      String(value),
    ]),
  });
};

/** Milliseconds after which the service reads the provider's metadata again. */
const METADATA_AGE = 60 * 60_000;
/** Seconds for each request to the provider; a sign-in makes up to four in order. */
const TIMEOUT = 5;

/** The content of the cookie while the person is at the provider. */
interface SignInState {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
  readonly next: string;
}

/** A person at the provider. `issuer` and `subject` together identify one person for ever. */
export interface ProviderIdentity {
  readonly issuer: string;
  readonly subject: string;
  readonly claims: Claims;
  /** The requested page. */
  readonly next: string;
}

/** Sign-in with an OpenID Connect provider: authorization code with PKCE, state and nonce. */
@Injectable()
export class OidcService {
  private readonly logger = new Logger(OidcService.name);
  private known: { readonly at: number; readonly configuration: Configuration } | undefined;
  private reading: Promise<Configuration> | undefined;

  constructor(private readonly config: Config) {}

  /** The URL for the browser, and a cookie with the state. @throws {Unavailable} */
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
   * The person; undefined where the provider has refused, or its response is for another browser.
   * openid-client checks signature, issuer, audience, times and nonce.
   * @param query of the provider's redirect
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
      const more = await this.userInfo(configuration, tokens.access_token, proven);
      const claims = joinClaims(proven, more, this.config);
      return { issuer: proven.iss, subject: proven.sub, claims, next: state.next };
    } catch (error) {
      if (isOutage(error)) throw unreachable(error);
      if (isClientRefused(error)) throw this.misconfigured(REFUSED_CLIENT, error);
      this.logger.warn(`Refused the provider's response: ${describe(error)}`);
      return undefined;
    }
  }

  /**
   * OpenID Connect Core §5.4: the claims of the scopes. Where UserInfo fails, an ID token with all that is needed
   * suffices; but not where it answers about another person.
   */
  private async userInfo(
    configuration: Configuration,
    accessToken: string,
    idToken: IDToken,
  ): Promise<Claims> {
    if (!configuration.serverMetadata().userinfo_endpoint) return {};
    try {
      return await fetchUserInfo(configuration, accessToken, idToken.sub);
    } catch (error) {
      const isOfAnother = codeOf(error) === 'OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED';
      if (isOfAnother || !this.isComplete(idToken)) throw error;
      this.logger.warn(`UserInfo failed (${describe(error)}). The ID token has all claims.`);
      return {};
    }
  }

  private isComplete(claims: Claims): boolean {
    const { oidcRoles, oidcRoleClaim } = this.config;
    const hasRole = !oidcRoles || valuesOf(claims, oidcRoleClaim).length > 0;
    return hasRole && provenEmail(claims, this.config) !== null;
  }

  /** Logs what is wrong with the issuer at the start. The service starts without its provider, too. */
  async checkIssuer(): Promise<void> {
    if (this.config.oidcIssuer === null) return;
    // A fault of the settings is logged where it is found.
    await this.configuration().catch((error: unknown) => {
      if (error instanceof Unavailable) {
        this.logger.warn('The sign-in provider (OIDC_ISSUER) cannot be reached at the moment.');
      }
    });
  }

  private misconfigured(fault: string, cause: unknown): SignInMisconfigured {
    this.logger.error(`${fault} (${describe(cause)})`);
    return new SignInMisconfigured(fault, cause);
  }

  private get redirectUri(): string {
    return `${this.config.publicUrl}/staff/sign-in/callback`;
  }

  private configuration(): Promise<Configuration> {
    const { known } = this;
    if (known && performance.now() - known.at < METADATA_AGE) {
      return Promise.resolve(known.configuration);
    }
    this.reading ??= this.readMetadata().finally(() => (this.reading = undefined));
    return this.reading;
  }

  private async readMetadata(): Promise<Configuration> {
    const { oidcIssuer, oidcClientId, oidcClientSecret } = this.config;
    if (oidcIssuer === null) throw new Error('OIDC_ISSUER is not set.');
    const discover = (issuer: string) =>
      discovery(
        new URL(issuer),
        oidcClientId,
        undefined,
        oidcClientSecret === null ? None() : ClientSecretPost(oidcClientSecret),
        {
          timeout: TIMEOUT,
          [customFetch]: fetchBounded,
          execute: [
            // Without it openid-client trusts TLS and does not check the signature of the ID token.
            enableNonRepudiationChecks,
            // The setting allows http only for this machine.
            ...(issuer.startsWith('http:') ? [allowInsecureRequests] : []),
          ],
        },
      );
    try {
      const configuration = await discover(oidcIssuer).catch((error: unknown) => {
        const issuer = otherIssuer(error);
        const isSame = issuer !== undefined && withoutSlash(issuer) === withoutSlash(oidcIssuer);
        if (isSame) return discover(issuer);
        throw error;
      });
      this.known = { at: performance.now(), configuration };
      return configuration;
    } catch (error) {
      if (this.known) return this.known.configuration;
      if (isOutage(error)) throw unreachable(error);
      throw this.misconfigured(issuerFault(oidcIssuer, error), error);
    }
  }
}

const REFUSED_CLIENT =
  'The sign-in provider refuses this service: OIDC_CLIENT_ID or OIDC_CLIENT_SECRET is wrong, or has expired.';

/** The settings and the provider contradict each other: trying again does not help. */
export class SignInMisconfigured extends Problem {
  constructor(fault: string, cause: unknown) {
    super('unavailable', `${fault} Tell an administrator.`, { cause });
  }
}

/** The issuer that the metadata name, where it is not the one of the setting. */
function otherIssuer(error: unknown): string | undefined {
  const { cause } = error as { readonly cause?: { readonly body?: { readonly issuer?: unknown } } };
  const issuer = cause?.body?.issuer;
  return typeof issuer === 'string' && URL.canParse(issuer) ? new URL(issuer).href : undefined;
}

function withoutSlash(issuer: string): string {
  return new URL(issuer).href.replace(/\/$/, '');
}

function issuerFault(setting: string, error: unknown): string {
  const other = otherIssuer(error);
  if (other !== undefined) {
    return `OIDC_ISSUER is ${setting}, but the sign-in provider says that its issuer is ${other.slice(0, 300)}. Set OIDC_ISSUER to that, if it is your provider.`;
  }
  const certificate = certificateFault(error);
  if (certificate) {
    return `The certificate of OIDC_ISSUER ${setting} is not trusted (${certificate}). NODE_EXTRA_CA_CERTS names the certificate of a private authority.`;
  }
  const status = statusOf(error);
  const found = status === undefined ? 'something else' : `status ${status}`;
  return `OIDC_ISSUER is ${setting}, but its /.well-known/openid-configuration is no metadata of a provider: it answers ${found}.`;
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

/** The provider refuses the credentials of this service (RFC 6749 §5.2), for every member. */
function isClientRefused(error: unknown): boolean {
  const { code, error: word } = error as { code?: unknown; error?: unknown };
  const isAnswer = code === 'OAUTH_RESPONSE_BODY_ERROR';
  return isAnswer && ['invalid_client', 'unauthorized_client'].includes(String(word));
}

/** The network, or a fault of the provider that passes. */
function isOutage(error: unknown): boolean {
  const status = statusOf(error);
  const passes = status !== undefined && (status >= 500 || status === 429);
  return passes || (isNetwork(error) && certificateFault(error) === undefined);
}

/** The status of an answer that is not the expected one. */
function statusOf(error: unknown): number | undefined {
  const { cause } = error as { readonly cause?: unknown };
  return cause instanceof Response ? cause.status : undefined;
}

/** The code of Node.js for a certificate that it does not trust. */
function certificateFault(error: unknown): string | undefined {
  let cause: unknown = error;
  for (let depth = 0; depth < 4 && cause instanceof Error; depth += 1) {
    const code = String(codeOf(cause));
    if (/CERT|SELF_SIGNED|UNABLE_TO_/.test(code)) return code;
    ({ cause } = cause);
  }
  return undefined;
}

function codeOf(error: unknown): unknown {
  return (error as { readonly code?: unknown }).code;
}

/** `fetch` reports a broken connection as a TypeError, and a timeout by the error's name. */
function isNetwork(error: unknown): boolean {
  const failure = error as { readonly cause?: unknown };
  return [failure, failure.cause].some((one) => {
    const { message, name, syscall } = (one ?? {}) as Partial<NodeJS.ErrnoException>;
    return message === 'fetch failed' || name === 'TimeoutError' || syscall !== undefined;
  });
}

/** Only codes: a log line must not contain untrusted text. */
function describe(error: unknown): string {
  const { code, error: word } = error as { code?: unknown; error?: unknown };
  return [code, word].filter((part) => /^[\w.-]{1,60}$/.test(String(part))).join(' ') || 'unknown';
}
