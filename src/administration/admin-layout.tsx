import type { ShownEndpoint } from '../platform/notifications/webhooks.service.js';
import type { ComponentChildren, ComponentProps } from 'preact';
import { GivenReason } from '../clients/tokens.dto.js';
import type { RefusedForm } from '../platform/ui/forms/form-spec.js';
import { inputForm } from '../platform/ui/forms/input-form.js';
import { PostForm } from '../platform/ui/forms/form-view.js';
import { Layout } from '../platform/ui/layout.js';
import { Table } from '../platform/ui/table.js';

export function AdminLayout({ children, ...frame }: ComponentProps<typeof Layout>) {
  return (
    <Layout {...frame}>
      <div class="admin">{children}</div>
    </Layout>
  );
}

interface ListPageProps<Row>
  extends Omit<ComponentProps<typeof Layout>, 'children'>, ComponentProps<typeof Table<Row>> {
  readonly add: { readonly href: string; readonly text: string };
  readonly empty?: ComponentChildren;
}

export function ListPage<Row>({ title, viewer, here, add, empty, ...table }: ListPageProps<Row>) {
  return (
    <AdminLayout title={title} viewer={viewer} here={here}>
      <p class="actions">
        <a class="button primary" href={add.href}>
          {add.text}
        </a>
      </p>
      {table.rows.length === 0 && empty ? empty : <Table {...table} />}
    </AdminLayout>
  );
}

/** Further things to do, behind a button. */
export function More(props: { summary: string; open?: boolean; children: ComponentChildren }) {
  return (
    <details class="more" open={props.open}>
      <summary>{props.summary}</summary>
      {props.children}
    </details>
  );
}

/** The section that disables or enables the subject of a page. */
export function EnabledSection(props: {
  readonly enabled: boolean;
  readonly what: string;
  readonly action: string;
  readonly hint: string;
}) {
  const { enabled, what, action, hint } = props;
  const verb = enabled ? 'Disable' : 'Enable';
  return (
    <section>
      <h2>{verb}</h2>
      <More summary={`${verb} this ${what}…`}>
        <p class="hint">{hint}</p>
        <PostForm
          action={action}
          hidden={{ enabled: enabled ? 'no' : 'yes' }}
          button={`${verb} this ${what}`}
          kind={enabled ? 'danger' : undefined}
        />
      </More>
    </section>
  );
}

/** Shows the end of a long id: ids created at the same time start alike. */
export function ShortId({ id }: { id: string }) {
  const short = id.length > 12;
  return (
    <code class="id" title={short ? id : undefined}>
      {short ? `…${id.slice(-8)}` : id}
    </code>
  );
}

export function EnabledState({ enabled }: { enabled: boolean }) {
  return enabled ? <>Enabled</> : <span class="late">Disabled</span>;
}

export function WebhookState({ of }: { of: Pick<ShownEndpoint, 'enabled' | 'pausedAt'> }) {
  if (of.enabled && of.pausedAt !== null) return <span class="late">Paused</span>;
  return <EnabledState enabled={of.enabled} />;
}

export const reasonForm = inputForm(GivenReason, {
  reason: { label: 'Reason', missing: 'Enter a reason.' },
});

interface WithReasonProps {
  /** The id of its subject: the id of each form on a page is unique. */
  readonly at: string;
  readonly action: string;
  readonly verb: string;
  /** For example "the token that ends in 4f2a": only read out, where the page shows it already. */
  readonly what?: string;
  readonly hint: string;
  readonly hidden?: Readonly<Record<string, string>>;
  readonly refused?: RefusedForm | null;
}

/** A dangerous action: the button opens a form that asks for the reason. */
export function WithReason({ verb, what, hint, refused, ...form }: WithReasonProps) {
  const text = (
    <>
      {verb}
      {what && <span class="unseen">{` ${what}`}</span>}
    </>
  );
  const button = (
    <button type="submit" class="danger">
      {text}
    </button>
  );
  const fields = reasonForm.fields.map((field) => ({ ...field, hint }));
  return (
    <details class="with-reason" open={refused?.at === form.at}>
      <summary class="button danger">{text}</summary>
      <PostForm {...form} fields={fields} refused={refused} button={button} />
    </details>
  );
}
