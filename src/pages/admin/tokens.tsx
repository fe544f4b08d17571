import type { AccessToken } from '../../clients/access-token.entity.js';
import { Time } from '../shell/parts.js';
import { Scroll } from './scroll.js';
import { WithReason } from './with-reason.js';

export interface TokensView {
  /** Whose they are. */
  readonly name: string;
  readonly tokens: readonly AccessToken[];
  /** The page of the holder, to which the forms belong. */
  readonly place: string;
  readonly now: Date;
  /** Of a revocation that was refused: of which token, why, and what was typed. */
  readonly refused?: { readonly tokenId: string; readonly fault: string; readonly reason: string };
}

/** The tokens of a client or of a member, newest first. */
export function Tokens(view: TokensView) {
  const { name, tokens, now } = view;
  return (
    <Scroll label={`Tokens of ${name}`}>
      <table>
        <caption class="unseen">{`Tokens of ${name}, newest first`}</caption>
        <thead>
          <tr>
            <th scope="col">Ends in</th>
            <th scope="col">For</th>
            <th scope="col">Scopes</th>
            <th scope="col">Expires</th>
            <th scope="col">Last used</th>
            <th scope="col">State</th>
          </tr>
        </thead>
        <tbody>
          {tokens.map((token) => (
            <tr>
              <th scope="row">
                <code class="id">{`…${token.ending}`}</code>
              </th>
              <td class="words">{token.label || <span class="muted">Not said</span>}</td>
              <td>
                {token.scopes.split(' ').map((scope) => (
                  <div class="id">{scope}</div>
                ))}
              </td>
              <td>
                <Time at={token.expiresAt} now={now} />
              </td>
              <td>{token.lastUsedAt ? <Time at={token.lastUsedAt} now={now} /> : 'Never'}</td>
              <td>
                <State view={view} token={token} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  );
}

function State({ view, token }: { view: TokensView; token: AccessToken }) {
  const { place, now, refused } = view;
  if (token.revokedAt) {
    return (
      <>
        {'Revoked '}
        <Time at={token.revokedAt} now={now} />
      </>
    );
  }
  if (token.expiresAt <= now) return <>Expired</>;
  return (
    <WithReason
      id={`reason-${token.id}`}
      action={`${place}/tokens/${token.id}/revoke`}
      verb="Revoke"
      what={`the token that ends in ${token.ending}`}
      hint="It cannot be taken back. The reason is kept in the audit trail."
      refused={refused?.tokenId === token.id ? refused : undefined}
    />
  );
}
