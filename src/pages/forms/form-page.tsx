import type { ComponentChildren, ComponentProps } from 'preact';
import { Layout } from '../shell/layout.js';
import { PostForm, RefusedSummary } from './form-view.js';

interface FormPageProps
  extends
    Omit<ComponentProps<typeof Layout>, 'children' | 'width'>,
    ComponentProps<typeof PostForm> {
  /** Above the form. */
  readonly intro?: ComponentChildren;
}

/** A page with one form. */
export function FormPage({ title, viewer, here, intro, ...form }: FormPageProps) {
  return (
    <Layout title={title} viewer={viewer} here={here} width="narrow">
      <RefusedSummary refused={form.refused} />
      {intro}
      <PostForm kind="primary" {...form} />
    </Layout>
  );
}
