import type { ComponentProps } from 'preact';
import { PostForm } from '../forms/form-view.js';
import { Layout } from '../shell/layout.js';

/** The frame of the pages for administrators, whose styles hold for them alone. */
export function AdminLayout({ children, ...frame }: ComponentProps<typeof Layout>) {
  return (
    <Layout {...frame}>
      <div class="admin">{children}</div>
    </Layout>
  );
}

/** The section of a page that disables what it is about, or enables it again. */
export function EnabledSection(props: {
  readonly enabled: boolean;
  /** "client". */
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

/** Whether it is enabled, in a table or among facts. */
export function EnabledState({ enabled }: { enabled: boolean }) {
  return enabled ? <>Enabled</> : <span class="late">Disabled</span>;
}
