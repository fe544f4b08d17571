import type { StaffCaller } from '../../platform/access/caller.js';
import { AnswerRefusal, type AwaitedAnswer } from './staff-offers.dto.js';
import type { Undoable } from '../../platform/ui/undo-notice.js';
import type { RefusedForm } from '../../platform/ui/forms/form-spec.js';
import { inputForm } from '../../platform/ui/forms/input-form.js';
import { PostForm, RefusedSummary } from '../../platform/ui/forms/form-view.js';
import { Conflict } from '../staff/order-form-page.js';
import type { FlashMessage } from '../../platform/ui/flash-messages.js';
import { Layout } from '../../platform/ui/layout.js';
import { Empty } from '../../platform/ui/parts.js';
import { OfferTable, WantedHere } from './offers-view.js';

export const refusalForm = inputForm(AnswerRefusal, {
  reason: {
    label: 'Reason',
    hint: 'For the author, in the timeline of the enquiry.',
    long: true,
    missing: 'Enter a reason.',
  },
});

/** The id of the section of an answer. */
export function placeOfAnswer(reference: string, answer: number): string {
  return `${reference}-${answer}`;
}

/** The start of the names of these drafts. */
const DRAFTS = 'approvals#';

/** The name of the draft of a refusal. */
export function draftOfRefusal(reference: string, answer: number): string {
  return `${DRAFTS}${placeOfAnswer(reference, answer)}`;
}

interface ApprovalsPageProps {
  readonly viewer: StaffCaller;
  readonly answers: readonly AwaitedAnswer[];
  /** The viewer's last move, while it can be undone. */
  readonly undo?: Undoable | null;
  readonly now: Date;
  readonly said?: FlashMessage | null;
  readonly refused?: RefusedForm;
  /** Why the decision was not saved. */
  readonly conflict?: string;
}

/** The answers that wait for a manager, oldest first. */
export function ApprovalsPage(props: ApprovalsPageProps) {
  const { viewer, answers, undo, now, said, refused, conflict } = props;
  const reason = refused?.form.text('reason');
  return (
    <Layout title="Approvals" viewer={viewer} here="approvals" said={said} undo={undo}>
      {conflict !== undefined && (
        <Conflict reason={conflict}>{reason && <p>{`You wrote: ${reason}`}</p>}</Conflict>
      )}
      <RefusedSummary refused={refused} />
      <div data-drafts={DRAFTS}>
        {answers.length === 0 ? (
          <Empty title="Nothing waits for approval">
            <p>
              Offers far above or below what one person may offer appear here before the client sees
              them.
            </p>
          </Empty>
        ) : (
          answers.map((answer) => {
            const at = placeOfAnswer(answer.enquiry.reference, answer.answer);
            const own = refused?.at === at ? refused : undefined;
            return <Awaited {...{ answer, viewer, now }} refused={own} />;
          })
        )}
      </div>
    </Layout>
  );
}

interface AwaitedProps extends Pick<ApprovalsPageProps, 'viewer' | 'now' | 'refused'> {
  readonly answer: AwaitedAnswer;
}

function Awaited(props: AwaitedProps) {
  const { viewer, now, refused } = props;
  const { enquiry, answer, offers } = props.answer;
  const { reference, client } = enquiry;
  const isOwn = offers.some(({ authorId }) => authorId === viewer.staffId);
  const hidden = { reference, answer };
  const at = placeOfAnswer(reference, answer);
  return (
    <section class="approval" aria-labelledby={at}>
      <h2 id={at}>
        <a href={`/staff/orders/${reference}`}>{reference}</a>
        {`, ${client.name}`}
      </h2>
      <WantedHere {...enquiry} />
      <OfferTable label={`Offers for ${reference}`} offers={offers} now={now} />
      {isOwn ? (
        <p class="hint">You wrote this answer, so another manager has to decide.</p>
      ) : (
        <>
          <PostForm
            action="/staff/approvals"
            hidden={{ ...hidden, decision: 'approve' }}
            button={
              <button type="submit" class="primary">
                Approve<span class="unseen">{` the answer to ${reference}`}</span>
              </button>
            }
          />
          <details class="further" open={refused !== undefined}>
            <summary>{`Refuse the answer to ${reference}`}</summary>
            <PostForm
              draft={draftOfRefusal(reference, answer)}
              draftTitle={`Refuse the answer to ${reference}`}
              action="/staff/approvals"
              hidden={{ ...hidden, decision: 'refuse' }}
              fields={refusalForm.fields}
              refused={refused}
              at={at}
              button="Refuse"
              kind="danger"
            />
          </details>
        </>
      )}
    </section>
  );
}
