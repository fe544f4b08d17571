import type { StaffCaller } from '../../platform/access/caller.js';
import { Layout } from '../../platform/ui/layout.js';
import type { HelpLink, HelpText } from './help-texts.js';

interface HelpPageProps {
  readonly viewer: StaffCaller;
  readonly address: string;
  readonly text: HelpText;
  readonly links: readonly HelpLink[];
}

export function HelpPage({ viewer, address, text, links }: HelpPageProps) {
  return (
    <Layout title={text.title} viewer={viewer}>
      {links.length > 1 && (
        <nav class="help-links" aria-label="Help">
          <ul>
            {links.map(({ href, title }) => (
              <li>
                <a href={href} aria-current={href === address ? 'page' : undefined}>
                  {title}
                </a>
              </li>
            ))}
          </ul>
        </nav>
      )}
      <article class="help" dangerouslySetInnerHTML={{ __html: text.html }} />
    </Layout>
  );
}
