import type { StaffCaller } from '../../platform/access/caller.js';
import type { FollowUpOrder } from '../../orders/staff/follow-up.dto.js';
import { inWordsOf } from '../../orders/moves/move-words.js';
import type { FormField, RefusedForm } from '../../platform/ui/forms/form-spec.js';
import { PostForm } from '../../platform/ui/forms/form-view.js';
import { OrderFormPage } from '../../orders/staff/order-form-page.js';
import { noteField, type OrderForm } from './order-forms.js';

interface MoveFormPageProps {
  readonly viewer: StaffCaller;
  readonly form: OrderForm;
  readonly order: FollowUpOrder;
  readonly fields: readonly FormField[];
  /** The typed values with their faults. */
  readonly typed?: RefusedForm;
  /** Why the move was or would be refused. */
  readonly refusal?: MoveConflict;
}

export interface MoveConflict {
  readonly reason: string;
  /** Whether the move can still be made on the order as it is now. */
  readonly possible: boolean;
}

/** The form of one move. On the order's page a script shows it as a dialog. */
export function MoveFormPage(props: MoveFormPageProps) {
  const { viewer, form, order, fields, typed, refusal } = props;
  const { reference, version, kind } = order;
  const words = (text: string) => inWordsOf(kind, text);
  const address = `/staff/orders/${reference}`;
  const kept =
    form.move === 'cancel' ? 'Keep order' : form.move === 'resume' ? 'Keep call-back' : undefined;
  return (
    <OrderFormPage
      title={`${words(form.title)}: ${reference}`}
      viewer={viewer}
      order={order}
      refused={typed}
      conflict={refusal?.reason}
      advice={refusal && <Advice {...{ address, refusal, typed }} view={words('View order')} />}
    >
      {refusal?.possible === false ? (
        <KeepAsNote {...props} />
      ) : (
        <PostForm
          dialog
          draft={`${reference}/${form.path}`}
          action={`${address}/${form.path}`}
          hidden={{ version }}
          fields={fields}
          refused={typed}
          button={words(form.button)}
          kind="primary"
          cancel={address}
          cancelText={kept && words(kept)}
        >
          {form.confirmation && <p class="intro">{words(form.confirmation)}</p>}
        </PostForm>
      )}
    </OrderFormPage>
  );
}

interface AdviceProps extends Pick<MoveFormPageProps, 'typed'> {
  readonly address: string;
  readonly refusal: MoveConflict;
  readonly view: string;
}

function Advice({ address, refusal, typed, view }: AdviceProps) {
  const kept = refusal.possible
    ? ' What you typed is still here: check it, and send it again.'
    : '';
  return (
    <>
      {typed && <p>{`Your changes were not saved.${kept}`}</p>}
      <div class="actions">
        <PostForm action="/staff/take-next" button="Take the next one" />
        <a class="button" href={address}>
          {view}
        </a>
      </div>
    </>
  );
}

/** For a move that is no longer possible: its typed texts can be saved as a note. */
function KeepAsNote({ order, form, typed }: MoveFormPageProps) {
  const text = form.fields
    .filter(({ kind }) => kind === 'long' || kind === 'text')
    .map(({ name }) => typed?.form.text(name))
    .filter(Boolean)
    .join('\n\n');
  if (text === '') return null;
  return (
    <PostForm
      dialog
      draft={`${order.reference}/note`}
      takesOver={`${order.reference}/${form.path}`}
      action={`/staff/orders/${order.reference}/note`}
      fields={[{ ...noteField, first: text }]}
      button="Add as a note"
      kind="primary"
    >
      <p class="intro">We kept what you typed. You can save it as a note.</p>
    </PostForm>
  );
}
