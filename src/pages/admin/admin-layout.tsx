import type { ComponentProps } from 'preact';
import { Layout } from '../shell/layout.js';

/** The frame of the pages for administrators, whose styles hold for them alone. */
export function AdminLayout({ children, ...frame }: ComponentProps<typeof Layout>) {
  return (
    <Layout {...frame}>
      <div class="admin">{children}</div>
    </Layout>
  );
}
