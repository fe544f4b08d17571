import type { ComponentChildren, ComponentProps } from 'preact';
import type { StaffCaller } from '../access/caller.js';
import { Layout } from './layout.js';
import { Notice } from './parts.js';
import type { FormField, RefusedForm } from './forms/form-spec.js';
import { PostForm, RefusedSummary } from './forms/form-view.js';

export interface FormPageSpec {
  readonly title: string;
  readonly here?: string;
  readonly action: string;
  readonly fields: readonly FormField[];
  /** See `PostForm`. */
  readonly folded?: ReadonlySet<string>;
  readonly button: ComponentChildren;
  readonly cancel?: string;
  /** See `PostForm`. */
  readonly draft?: string;
}

interface FormPageProps extends FormPageSpec, Omit<ComponentProps<typeof PostForm>, 'fields'> {
  /** Missing on the pages before the sign-in. */
  readonly viewer?: StaffCaller;
  readonly refused?: RefusedForm | null;
  /** Why what was sent was not saved. */
  readonly conflict?: string;
  readonly intro?: ComponentChildren;
}

export function FormPage({ title, viewer, here, intro, conflict, ...form }: FormPageProps) {
  return (
    <Layout title={title} viewer={viewer} here={here} width="narrow">
      {conflict !== undefined && <Notice kind="bad" title={conflict} />}
      <RefusedSummary refused={form.refused} />
      {intro}
      <PostForm kind="primary" {...form} />
    </Layout>
  );
}
