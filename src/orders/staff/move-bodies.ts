import { IntersectionType, OmitType } from '@nestjs/swagger';
import { type KindsOfBody, kindsOfBody } from '../../platform/http/kinds-of-body.js';
import type { InputType } from '../../platform/http/valid.js';
import type { MoveInput, StaffMove } from '../moves/move-contents.js';
import {
  Assignment,
  ContactLog,
  DuplicateMark,
  HandOver,
  Loss,
  Note,
  Reasoned,
  ReplyBody,
  Schedule,
  Seen,
  SeenOrders,
  SeenWithNote,
  StaffAmendment,
  StaffCancellation,
  Win,
} from './moves.dto.js';

/** What a move carries, without the version. */
type ContentOf<N extends StaffMove> = Omit<Extract<MoveInput, { name: N }>, 'name'>;
type BodyOf<N extends StaffMove> = Seen & ContentOf<N>;

/** What the staff API takes and says of each move. */
export const moveBodies: {
  readonly [N in StaffMove]: { readonly type: InputType<BodyOf<N>>; readonly about: string };
} = {
  claim: { type: Seen, about: 'Takes a waiting order for the caller.' },
  assign: { type: Assignment, about: 'Gives a waiting order to a staff member. By a manager.' },
  logContact: {
    type: ContactLog,
    about: 'Records how the client was contacted, and with what result. By the owner.',
  },
  schedule: {
    type: Schedule,
    about: 'Makes the order due for its owner at a time. By the owner.',
  },
  resume: {
    type: SeenWithNote,
    about:
      'Cancels the call of a scheduled order. An offered enquiry with a call stays offered. By the owner or a manager.',
  },
  handOver: {
    type: HandOver,
    about: 'Gives the order to another owner, with a note for them. By the owner or a manager.',
  },
  release: {
    type: Reasoned,
    about:
      'Returns the order to the queue, where it keeps its place and its deadline. By the owner or a manager.',
  },
  win: {
    type: Win,
    about:
      'Closes the order as won. An order for an `indicative` price needs the `price` and the `setupPrice` that were confirmed. While an extra charge awaits an answer, the response is 409 `charge-open`: withdraw each charge of `chargeIds`, or record its answer, first. By the owner.',
  },
  lose: { type: Loss, about: 'Closes the order as lost, with the reason. By the owner.' },
  duplicate: {
    type: DuplicateMark,
    about: 'Closes the order as a duplicate of another one of the same API client.',
  },
  cancel: {
    type: StaffCancellation,
    about: 'Closes the order as cancelled, with the reason. By the owner or a manager.',
  },
  reply: {
    type: ReplyBody,
    about:
      'Writes to the client, which reads it by the API and by email, and settles what the client wrote. Of several orders only where they are of one client. Until 30 days after the end of the order.',
  },
  settle: {
    type: Seen,
    about:
      'Settles what the client wrote without an answer. A call-back that the message has made due comes back at its time.',
  },
  reopen: {
    type: Reasoned,
    about:
      'Opens a closed order again. An accepted order cannot be reopened while its service is live, or while its client’s request to cancel awaits an answer. By a manager, or by its owner within 24 hours.',
  },
};

/** Whether its reason is in a person's own words. */
export function hasOwnReason(move: StaffMove): boolean {
  return moveBodies[move].type === Reasoned;
}

const others = {
  note: {
    type: Note,
    about: 'Adds a note to the timeline of any order. The version stays the same.',
  },
  amend: {
    type: StaffAmendment,
    about:
      'Changes what the client could amend: its reference, the contact, the site details and the preferred days. Until the milestone `installed` is done; of an enquiry until it is closed.',
  },
  undo: {
    type: Seen,
    about:
      'Takes the last move back. By the staff member who closed, released or cancelled the order, marked it as a duplicate, or wrote to the client, for 10 seconds. The webhook of such a move waits as long, and is never sent if it is undone. The timeline shows both.',
  },
};

/** A move of one order, a note, an amendment or an undo. */
export type OrderMove =
  | { [N in StaffMove]: BodyOf<N> & { readonly move: N } }[StaffMove]
  | (Note & { readonly move: 'note' })
  | (StaffAmendment & { readonly move: 'amend' })
  | (Seen & { readonly move: 'undo' });

/** The same move of several orders. */
export type MoveOfMany = {
  [N in StaffMove]: Omit<BodyOf<N>, 'version'> & SeenOrders & { readonly move: N };
}[StaffMove];

/** The bodies of moves without the version, which is apart where a page or a list has the orders. */
export const moveContents = Object.fromEntries(
  Object.entries<{ type: InputType<Seen> }>(moveBodies).map(([name, { type }]) => [
    name,
    OmitType(type, ['version']),
  ]),
) as { readonly [N in StaffMove]: InputType<ContentOf<N>> };

export const orderMoves: KindsOfBody = kindsOfBody('move', 'Move', { ...moveBodies, ...others });

export const movesOfMany: KindsOfBody = kindsOfBody(
  'move',
  'ManyMove',
  Object.fromEntries(
    Object.entries<InputType<object>>(moveContents).map(([name, type]) => {
      const { about } = moveBodies[name as StaffMove];
      return [name, { type: IntersectionType(type, SeenOrders), about }];
    }),
  ),
);
