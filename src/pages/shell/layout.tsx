import type { ComponentChildren } from 'preact';
import type { StaffCaller } from '../../access/caller.js';
import { assets } from './assets.js';
import { Flash } from './flash.js';
import { navigationFor, type NavigationItem } from './navigation.js';
import type { FlashMessage } from './flash-messages.js';

interface LayoutProps {
  /** What the page is, as its h1 says it: "Waiting 12". */
  readonly title: string;
  /** The signed-in member; missing on the pages before the sign-in. */
  readonly viewer?: StaffCaller;
  readonly here?: string;
  /** Counts beside the links of the navigation. */
  readonly counts?: Readonly<Record<string, number>>;
  /** The last search, shown in the search field. */
  readonly searched?: string;
  /** For the style sheet: `wide` uses the whole width, `narrow` is for a form on its own. */
  readonly width?: 'wide' | 'narrow';
  readonly said?: FlashMessage | null;
  readonly children: ComponentChildren;
}

/** The frame of every page: top bar, navigation, one heading, one live region. */
export function Layout(props: LayoutProps) {
  const { title, viewer, here, counts = {}, searched, width, said, children } = props;
  const files = assets();
  return (
    <html lang="en-GB">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>{`${title} – Product Availability`}</title>
        <link rel="icon" href={files.addressOf('favicon.svg')} type="image/svg+xml" />
        <link rel="stylesheet" href={files.addressOf('styles.css')} />
        {viewer &&
          files
            .scripts()
            .map((name) => <script type="module" src={files.addressOf(name)}></script>)}
      </head>
      <body class={viewer ? 'with-places' : 'alone'}>
        <a class="skip" href="#main">
          Skip to the content
        </a>
        {viewer ? <TopBar viewer={viewer} searched={searched} /> : <Brand />}
        {viewer && <Places viewer={viewer} here={here} counts={counts} />}
        <main id="main" class={width} tabIndex={-1}>
          <h1>{title}</h1>
          {said && <Flash said={said} />}
          {children}
        </main>
        <div id="said" class="said" role="status" aria-live="polite"></div>
      </body>
    </html>
  );
}

function Brand() {
  return (
    <header class="top">
      <a class="brand" href="/staff">
        Product Availability
      </a>
    </header>
  );
}

function TopBar({ viewer, searched }: { viewer: StaffCaller; searched?: string }) {
  return (
    <header class="top">
      <a class="brand" href="/staff/queue">
        Product Availability
      </a>
      <form class="search" role="search" action="/staff/search">
        <label class="unseen" for="search">
          Search orders: reference, postcode, client, contact
        </label>
        <input
          id="search"
          type="search"
          name="q"
          maxLength={100}
          value={searched}
          placeholder="Reference, postcode, client"
          autocomplete="off"
        />
        <button type="submit">Search</button>
      </form>
      <form method="post" action="/staff/take-next">
        <button type="submit" class="primary" data-key="n" aria-keyshortcuts="n">
          Take next
        </button>
      </form>
      <details class="menu">
        <summary>{viewer.name}</summary>
        <ul>
          <li>
            <a href="/staff/account">Your account</a>
          </li>
          <li>
            <a href="/staff/keys" data-dialog data-key="?">
              Keyboard
            </a>
          </li>
          <li>
            <form method="post" action="/staff/sign-out">
              <button type="submit" class="plain">
                Sign out
              </button>
            </form>
          </li>
        </ul>
      </details>
    </header>
  );
}

interface PlacesProps {
  readonly viewer: StaffCaller;
  readonly here?: string;
  readonly counts: Readonly<Record<string, number>>;
}

function Places({ viewer, here, counts }: PlacesProps) {
  return (
    <nav class="places" aria-label="Places">
      {navigationFor(viewer.role).map(({ name, places }) => (
        <section>
          <h2>{name}</h2>
          <ul>
            {places.map((place) => (
              <PlaceLink place={place} here={here} count={counts[place.key]} />
            ))}
          </ul>
        </section>
      ))}
    </nav>
  );
}

function PlaceLink(props: { place: NavigationItem; here?: string; count?: number }) {
  const { place, here, count } = props;
  return (
    <li>
      <a href={place.path} aria-current={place.key === here ? 'page' : undefined}>
        <span>{place.name}</span>
        {count !== undefined && <span class={`count ${place.key}`}>{count}</span>}
      </a>
    </li>
  );
}
