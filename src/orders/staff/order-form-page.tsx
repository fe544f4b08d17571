import type { ComponentChildren, ComponentProps } from 'preact';
import type { StaffCaller } from '../../platform/access/caller.js';
import type { FollowUpOrder } from './follow-up.dto.js';
import { askerOf } from './order-words.js';
import { Layout } from '../../platform/ui/layout.js';
import { Notice } from '../../platform/ui/parts.js';
import type { RefusedForm } from '../../platform/ui/forms/form-spec.js';
import type { InputForm, Refusal } from '../../platform/ui/forms/input-form.js';
import { PostForm, RefusedSummary } from '../../platform/ui/forms/form-view.js';

interface OrderFormPageProps {
  readonly title: string;
  readonly viewer: StaffCaller;
  readonly order: FollowUpOrder;
  readonly refused?: RefusedForm | null;
  /** Why what was sent was not saved. */
  readonly conflict?: string;
  /** Below the conflict. */
  readonly advice?: ComponentChildren;
  readonly children: ComponentChildren;
}

/** The page of one form about an order or an enquiry. */
export function OrderFormPage(props: OrderFormPageProps) {
  const { title, viewer, order, refused, conflict, advice } = props;
  const { reference } = order;
  return (
    <Layout title={title} viewer={viewer} help="one-order" width="narrow">
      <p class="crumb">
        <a href={`/staff/orders/${reference}`}>{`${reference}, ${askerOf(order)}`}</a>
      </p>
      {conflict !== undefined && <Conflict reason={conflict}>{advice}</Conflict>}
      <RefusedSummary refused={refused} />
      {props.children}
    </Layout>
  );
}

interface OrderActionPageProps extends Pick<
  ComponentProps<typeof PostForm>,
  'button' | 'kind' | 'hidden' | 'cancelText' | 'dialog'
> {
  readonly title: string;
  readonly viewer: StaffCaller;
  readonly order: FollowUpOrder;
  /** Of the form, below the order; it also names the draft. */
  readonly path: string;
  /** Missing where the action is not possible. */
  readonly form?: Pick<InputForm<object>, 'fields'>;
  readonly refusal?: Partial<Refusal>;
  readonly children?: ComponentChildren;
}

/** The page of a form about an order whose fields come from its input: with its draft, and the way back. */
export function OrderActionPage(props: OrderActionPageProps) {
  const { title, viewer, order, path, form, refusal, children, kind = 'primary', ...rest } = props;
  const { refused, conflict } = refusal ?? {};
  const address = `/staff/orders/${order.reference}`;
  const advice = refused && <p>Nothing was saved.</p>;
  return (
    <OrderFormPage
      viewer={viewer}
      order={order}
      refused={refused}
      conflict={conflict}
      advice={advice}
      title={`${title} ${order.reference}`}
    >
      {form && (
        <PostForm
          {...rest}
          refused={refused}
          kind={kind}
          draft={`${order.reference}/${path}`}
          action={`${address}/${path}`}
          fields={form.fields}
          cancel={address}
        >
          {children}
        </PostForm>
      )}
    </OrderFormPage>
  );
}

/** Says first on a page why what was sent was not saved. */
export function Conflict(props: { reason: string; children?: ComponentChildren }) {
  return (
    <div tabIndex={-1} data-focus>
      <Notice kind="bad" title={props.reason}>
        {props.children}
      </Notice>
    </div>
  );
}
