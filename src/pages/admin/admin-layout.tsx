import type { ComponentChildren, ComponentProps } from 'preact';
import { PostForm } from '../forms/form-view.js';
import { Layout } from '../shell/layout.js';
import { Table } from '../shell/table.js';

/** The frame of the pages for administrators, whose styles hold for them alone. */
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

/** The section of a page that disables what it is about, or enables it again. */
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
      <p class="hint">{hint}</p>
      <PostForm
        action={action}
        hidden={{ enabled: enabled ? 'no' : 'yes' }}
        button={`${verb} this ${what}`}
        kind={enabled ? 'danger' : undefined}
      />
    </section>
  );
}

export function EnabledState({ enabled }: { enabled: boolean }) {
  return enabled ? <>Enabled</> : <span class="late">Disabled</span>;
}
