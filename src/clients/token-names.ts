import { In } from 'typeorm';
import type { NamesOf } from '../platform/audit/audit-names.service.js';
import { StaffMember } from '../staff/member/staff-member.entity.js';
import { AccessToken } from './access-token.entity.js';
import { ApiClient } from './api-client.entity.js';

/** `…4f2a of Example Reseller`, as people know a token. */
export const tokenNames: NamesOf = async (tx, ids) => {
  const tokens = await tx.findBy(AccessToken, { id: In([...ids]) });
  const holders = tokens.flatMap(({ clientId, staffMemberId }) => clientId ?? staffMemberId ?? []);
  const where = { id: In(holders) };
  const owners = [...(await tx.findBy(ApiClient, where)), ...(await tx.findBy(StaffMember, where))];
  const names = new Map(owners.map(({ id, name }) => [id, name]));
  return new Map(
    tokens.map(({ id, ending, clientId, staffMemberId }) => {
      const holder = names.get(clientId ?? staffMemberId ?? '');
      return [id, holder === undefined ? `…${ending}` : `…${ending} of ${holder}`];
    }),
  );
};
