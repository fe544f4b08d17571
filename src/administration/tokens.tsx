import { scopesOfRole } from '../platform/access/scopes.js';
import type { StaffMember } from '../staff/member/staff-member.entity.js';
import { modeOf } from '../platform/database/sides.js';
import type { StaffCaller } from '../platform/access/caller.js';
import { actorOf } from '../platform/audit/audit.service.js';
import type { AccessToken } from '../clients/access-token.entity.js';
import type { GivenReason } from '../clients/tokens.dto.js';
import type { TokensService } from '../clients/tokens.service.js';
import { NotFound } from '../platform/problems/problem.js';
import type { Form } from '../platform/ui/forms/form.js';
import type { RefusedForm } from '../platform/ui/forms/form-spec.js';
import { send } from '../platform/ui/forms/input-form.js';
import { Time } from '../platform/ui/parts.js';
import { Table } from '../platform/ui/table.js';
import { reasonForm, WithReason } from './admin-layout.js';

interface TokensProps {
  readonly name: string;
  readonly tokens: readonly AccessToken[];
  readonly place: string;
  readonly now: Date;
  /** The scopes that count: those of the holder's role. All, if left out. */
  readonly allowed?: ReadonlySet<string>;
  readonly refused?: RefusedForm | null;
}

export function Tokens(props: TokensProps) {
  const { name, tokens, now, allowed } = props;
  return (
    <Table
      label={`Tokens of ${name}`}
      caption={`Tokens of ${name}, newest first`}
      rows={tokens}
      columns={[
        {
          name: 'Ends in',
          of: ({ ending, clientId, ...token }) => (
            <>
              <code class="id">{`…${ending}`}</code>
              {clientId && <span class="muted">{` ${modeOf(token)}`}</span>}
            </>
          ),
          heads: true,
        },
        {
          name: 'Label',
          of: ({ label }) => label || <span class="muted">None</span>,
          class: 'words',
        },
        {
          name: 'Scopes',
          of: ({ scopes }) =>
            scopes.split(' ').map((scope) => (
              <div class="id">
                {scope}
                {allowed?.has(scope) === false && <span class="muted"> (beyond the role)</span>}
              </div>
            )),
        },
        { name: 'Expires', of: ({ expiresAt }) => <Time at={expiresAt} now={now} /> },
        {
          name: 'Last used',
          of: ({ lastUsedAt }) => (lastUsedAt ? <Time at={lastUsedAt} now={now} /> : 'Never'),
        },
        { name: 'State', of: (token) => <State {...props} token={token} /> },
      ]}
    />
  );
}

/** Those of programs that act for a staff member. */
export function MemberTokens({
  member,
  ...props
}: Omit<TokensProps, 'name' | 'allowed'> & { member: Pick<StaffMember, 'name' | 'role'> }) {
  if (props.tokens.length > 0) {
    return <Tokens {...props} name={member.name} allowed={scopesOfRole(member.role)} />;
  }
  return (
    <p class="hint">
      None. Issue one for programs that act for this member with <code>tokens issue --staff</code>{' '}
      at the command line.
    </p>
  );
}

function State({ place, now, refused, token }: TokensProps & { token: AccessToken }) {
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
      at={token.id}
      action={`${place}/tokens/${token.id}/revoke`}
      verb="Revoke"
      what={`the token that ends in ${token.ending}`}
      hint="You cannot undo this. The reason is kept in the audit trail."
      refused={refused}
    />
  );
}

export const tokenMessages = {
  'token-revoked': 'Token revoked: refused everywhere within 5 seconds.',
};

export interface TokenPath {
  readonly id: string;
  readonly tokenId: string;
}

/**
 * Revokes one of the tokens on the page of their holder.
 * @returns the form if it gives no reason; null if another administrator has just revoked the token
 * @throws {NotFound}
 */
export async function revokeToken(
  service: TokensService,
  { tokens, viewer }: { readonly tokens: readonly AccessToken[]; readonly viewer: StaffCaller },
  id: string,
  form: Form,
): Promise<RefusedForm | keyof typeof tokenMessages | null> {
  if (!tokens.some((token) => token.id === id)) throw new NotFound('There is no such token.');
  const revoke = ({ reason }: GivenReason) => service.revoke(id, actorOf(viewer), reason);
  const sent = await send(reasonForm, form, revoke, id);
  if ('result' in sent) return 'token-revoked';
  return sent.conflict === undefined ? sent.refused : null;
}
