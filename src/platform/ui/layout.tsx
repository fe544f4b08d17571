import type { ComponentChildren } from 'preact';
import { useContext } from 'preact/hooks';
import type { StaffCaller } from '../access/caller.js';
import { isAtLeast } from '../access/scopes.js';
import { serviceVersion } from '../config/version.js';
import { assets, PAGE_SCRIPT, SIGN_IN_SCRIPT } from './assets.js';
import { Icon, Mark } from './icons.js';
import { keyActs } from './key-table.js';
import { helpAbout, NavigationCounts, navigationFor } from './navigation.js';
import type { FlashMessage } from './flash-messages.js';
import { type Undoable, UndoNotice } from './undo-notice.js';

interface LayoutProps {
  /** The heading of the page: "Waiting 12". */
  readonly title: string;
  /** The signed-in member; missing on the pages before the sign-in. */
  readonly viewer?: StaffCaller;
  /** The key of the page's place in the navigation. */
  readonly here?: string;
  /** The topic of the help about the page; by default that of its place. */
  readonly help?: string;
  /** The last search, shown in the search field. */
  readonly searched?: string;
  /** `wide` uses the full width, `narrow` is for a single form. */
  readonly width?: 'wide' | 'narrow';
  readonly said?: FlashMessage | null;
  /** The viewer's last change, while it can be undone. */
  readonly undo?: Undoable | null;
  /** The reference of the order that the message is about. */
  readonly saidOf?: string;
  readonly children: ComponentChildren;
}

/** The frame of every page: top bar, navigation, one heading, one live region. */
export function Layout(props: LayoutProps) {
  const { title, viewer, width, said, saidOf, undo } = props;
  const isUndoable = said?.undo !== undefined || said?.later !== undefined;
  const isOfMessage = isUndoable && undo?.reference === saidOf;
  const files = assets();
  return (
    <html lang="en-GB">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>{`${title} – ${files.brand.brandName}`}</title>
        <link rel="icon" href={files.addressOf('favicon.svg')} type="image/svg+xml" />
        <link rel="stylesheet" href={files.addressOf('styles.css')} />
        <link
          rel="preload"
          href={files.addressOf('inter.woff2')}
          as="font"
          crossorigin="anonymous"
        />
        <script type="module" src={files.addressOf(viewer ? PAGE_SCRIPT : SIGN_IN_SCRIPT)}></script>
      </head>
      <body
        class={viewer ? 'with-places' : 'alone'}
        data-member={viewer?.staffId}
        data-keys={viewer && keyActs}
        data-session={viewer?.sessionTime && JSON.stringify(viewer.sessionTime)}
      >
        <a class="skip" href="#main">
          Skip to main content
        </a>
        <header class="top">
          <a class="brand" href={viewer ? '/staff/queue' : '/staff'}>
            {files.logo === null ? <Mark /> : <img src={files.logo} alt="" />}
            {files.brand.brandName}
          </a>
          {viewer && (
            <details class="fold">
              <summary>
                <Icon name="menu" />
                <span>Menu</span>
              </summary>
            </details>
          )}
          {viewer && (
            <TopBar
              viewer={viewer}
              searched={props.searched}
              help={props.help ?? helpAbout(props.here)}
            />
          )}
        </header>
        {viewer && <Places viewer={viewer} here={props.here} />}
        <main id="main" class={width} tabIndex={-1}>
          <h1>{title}</h1>
          {said && (
            <Flash
              said={said}
              order={saidOf}
              undo={isOfMessage ? undo : null}
              isOpen={Boolean(undo)}
            />
          )}
          {undo && !isOfMessage && <UndoNotice undo={undo} named />}
          {props.children}
        </main>
        <div id="said" class="said" role="status" aria-live="polite"></div>
      </body>
    </html>
  );
}

interface FlashProps {
  readonly said: FlashMessage;
  readonly order?: string;
  /** The move that the message is about, while it can be undone. */
  readonly undo?: Undoable | null;
  /** Whether the viewer's last move can be undone. */
  readonly isOpen: boolean;
}

/** A message that is shown once; a script also puts it into the live region. */
function Flash({ said, order, undo, isOpen }: FlashProps) {
  return (
    <section class="notice good flash" tabIndex={-1} data-focus data-said>
      <p class="notice-title" data-later={isOpen ? said.later : undefined}>
        {isOpen ? said.text : (said.later ?? said.text)}
      </p>
      {undo && <UndoNotice undo={undo} />}
      {said.undo && order !== undefined && !undo && (
        <a href={`/staff/orders/${order}/${said.undo.path}`} data-dialog>
          {said.undo.label}
        </a>
      )}
    </section>
  );
}

interface TopBarProps extends Pick<LayoutProps, 'searched' | 'help'> {
  readonly viewer: StaffCaller;
}

function TopBar({ viewer, searched, help }: TopBarProps) {
  return (
    <>
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
        <button type="submit" aria-label="Search">
          <Icon name="search" />
        </button>
      </form>
      <form method="post" action="/staff/take-next">
        <button type="submit" class="primary" data-key="n" aria-keyshortcuts="n">
          Take next
        </button>
      </form>
      <details class="menu">
        <summary>
          <Icon name="user" />
          <span>{viewer.name}</span>
        </summary>
        <ul>
          <li>
            <a href="/staff/account">Your account</a>
          </li>
          <li>
            <a href={help === undefined ? '/staff/help' : `/staff/help/${help}`}>Help</a>
          </li>
          <li>
            <a href="/staff/keys" data-dialog data-key="?">
              Keyboard
            </a>
          </li>
          <li data-palette hidden>
            <button type="button">
              Commands <kbd>Ctrl+K</kbd>
            </button>
          </li>
          <li>
            <form method="post" action="/staff/sign-out">
              <button type="submit">Sign out</button>
            </form>
          </li>
        </ul>
      </details>
    </>
  );
}

type PlacesProps = Pick<LayoutProps, 'here'> & { readonly viewer: StaffCaller };

function Places({ viewer, here }: PlacesProps) {
  return (
    <nav class="places" aria-label="Main">
      {navigationFor(viewer.role).map(([heading, places]) => (
        <section>
          <h2>{heading}</h2>
          <ul>
            {places.map(({ key, name, path, icon, shortcut }) => (
              <li>
                <a
                  href={`/staff/${path}`}
                  aria-current={key === here ? 'page' : undefined}
                  data-key={shortcut}
                  aria-keyshortcuts={shortcut}
                >
                  <Icon name={icon} />
                  <span>{name}</span>
                  <Count of={key} viewer={viewer} />
                </a>
              </li>
            ))}
          </ul>
        </section>
      ))}
      <p>
        <small>{`Version ${serviceVersion}`}</small>
      </p>
    </nav>
  );
}

/** The number of orders in a list; of due calls also that of the team, for managers. */
function Count({ of, viewer }: { of: string; viewer: StaffCaller }) {
  const counts = useContext(NavigationCounts);
  if (counts === null || !Object.hasOwn(counts, of)) return null;
  const number = counts[of];
  if (of !== 'due' || !isAtLeast(viewer.role, 'manager')) {
    return <span class={of === 'late' && number === 0 ? 'count' : `count ${of}`}>{number}</span>;
  }
  return (
    <span class="count due" title="Yours, and those of the whole team">
      {`${number} of ${counts.teamDue}`}
    </span>
  );
}
