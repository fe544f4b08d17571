import { counted } from '../platform/kernel/counts.js';
import { Notice } from '../platform/ui/parts.js';
import type { StaffMember } from '../staff/member/staff-member.entity.js';

interface HeldOrdersProps {
  readonly member: Pick<StaffMember, 'id' | 'name'>;
  /** Open orders and enquiries of a member who is disabled. */
  readonly count: number;
}

/** What a manager has to hand over. */
export function HeldOrders({ member: { id, name }, count }: HeldOrdersProps) {
  if (count === 0) return null;
  const what = counted(count, 'open order or enquiry', 'open orders and enquiries');
  return (
    <Notice kind="soon" title={`${name} is disabled, and still owns ${what}.`}>
      <p>
        <a href={`/staff/queue?view=open&owner=${id}`}>Hand them over</a>
      </p>
    </Notice>
  );
}
