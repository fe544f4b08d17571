import { encode } from 'uqr';
import type { WrittenHtml } from '../../http/written-html.js';
import type { SecondFactorSetup } from '../../staff/sign-in/second-factor.service.js';
import { type Faults, FaultSummary, TextField } from '../forms/fields.js';
import { Layout } from '../shell/layout.js';
import { Copyable, Notice } from '../shell/parts.js';
import { page } from '../shell/render.js';

/** What the sign-in page offers, and what was typed before. */
export interface SignInForm {
  readonly passwords: boolean;
  /** What the provider is called; null: there is none. */
  readonly provider: string | null;
  readonly next: string;
  readonly email?: string;
  readonly refusal?: string;
  readonly note?: string;
  readonly status?: number;
}

const nextQuery = (next: string) => (next === '/staff' ? '' : `?next=${encodeURIComponent(next)}`);

export function signInPage(form: SignInForm): WrittenHtml {
  const { passwords, provider, next, email, refusal, note, status } = form;
  return page(
    <Layout title="Sign in">
      {note && <Notice kind="plain" title={note} />}
      {refusal && <Refusal text={refusal} />}
      {provider && (
        <p class="ways">
          <a
            class={passwords ? 'button' : 'button primary'}
            href={`/staff/sign-in/provider${nextQuery(next)}`}
          >
            {`Sign in with ${provider}`}
          </a>
          {passwords && <span class="muted">or with your password here:</span>}
        </p>
      )}
      {passwords && (
        <form method="post" action="/staff/sign-in">
          <input type="hidden" name="next" value={next} />
          <TextField
            name="email"
            label="E-mail address"
            value={email}
            input={{
              type: 'email',
              autocomplete: 'username',
              required: true,
              maxLength: 254,
              spellcheck: false,
            }}
          />
          <TextField
            name="password"
            label="Password"
            input={{ type: 'password', autocomplete: 'current-password', required: true }}
          />
          <p class="actions">
            <button type="submit" class="primary">
              Sign in
            </button>
          </p>
          <p class="hint">
            Forgotten your password? A manager can give you a link to set a new one.
          </p>
        </form>
      )}
    </Layout>,
    status,
  );
}

/** The second step. */
export function codePage(next: string, refusal?: string, status?: number): WrittenHtml {
  return page(
    <Layout title="Enter your code">
      {refusal && <Refusal text={refusal} />}
      <form method="post" action="/staff/sign-in/code">
        <input type="hidden" name="next" value={next} />
        <CodeField
          label="Code"
          hint="Six digits from your authenticator app, or one of your recovery codes."
        />
        <p class="actions">
          <button type="submit" class="primary">
            Continue
          </button>
          <a href="/staff/sign-in">Start again</a>
        </p>
      </form>
    </Layout>,
    status,
  );
}

/** For whoever has to set up a second factor before going on. */
export function enrolmentPage(
  offer: SecondFactorSetup,
  next: string,
  refusal?: string,
  status?: number,
): WrittenHtml {
  return page(
    <Layout title="Set up your second factor">
      <p class="lead">Here a code from your phone is asked for beside the password.</p>
      {refusal && <Refusal text={refusal} />}
      <form method="post" action="/staff/sign-in/enrolment">
        <input type="hidden" name="next" value={next} />
        <SetUp offer={offer} />
        <p class="actions">
          <button type="submit" class="primary">
            Continue
          </button>
        </p>
      </form>
    </Layout>,
    status,
  );
}

/** The page of a link: a first password, or a new one. */
export function setPasswordPage(form: {
  readonly action: string;
  readonly name: string;
  readonly email: string;
  readonly faults?: Faults;
}): WrittenHtml {
  const { action, name, email, faults } = form;
  return page(
    <Layout title="Set your password">
      <FaultSummary faults={faults} />
      <p class="lead">{`For ${name}. You are signed in afterwards.`}</p>
      <form method="post" action={action}>
        <Username email={email} />
        <NewPassword faults={faults} />
        <p class="actions">
          <button type="submit" class="primary">
            Set password
          </button>
        </p>
      </form>
    </Layout>,
    faults && 422,
  );
}

export function deadLinkPage(): WrittenHtml {
  return page(
    <Layout title="This link cannot be used">
      <p class="lead">It was used before, it has expired, or a newer one was made.</p>
      <p>
        Ask a manager for a new link, or <a href="/staff/sign-in">sign in</a> if you have set your
        password already.
      </p>
    </Layout>,
    410,
  );
}

/** For password managers, at the beginning of a form: whose password it is. */
export function Username({ email }: { email: string }) {
  return (
    <input type="text" name="username" value={email} autocomplete="username" hidden readOnly />
  );
}

/** The same password, typed twice: there may be no script that could show it. */
export function NewPassword({ faults }: { faults?: Faults }) {
  return (
    <>
      <TextField
        name="password"
        label="New password"
        hint="At least 12 characters. Three or four words that only you put together are good."
        faults={faults}
        input={{ type: 'password', autocomplete: 'new-password', required: true }}
      />
      <TextField
        name="again"
        label="The same again"
        faults={faults}
        input={{ type: 'password', autocomplete: 'new-password', required: true }}
      />
    </>
  );
}

/** What an authenticator has to be told, and the code by which it shows that it works. */
export function SetUp({ offer, faults }: { offer: SecondFactorSetup; faults?: Faults }) {
  return (
    <>
      <p>
        Scan this with an authenticator app, such as the one of your phone or your password manager.
      </p>
      <QrCode text={offer.uri} />
      <p>
        Or type this key there: <Copyable text={offer.key} label="the key" />
      </p>
      <CodeField
        label="Code"
        hint="The six digits that the app shows now."
        faults={faults}
        digits
      />
    </>
  );
}

export function CodeField(props: {
  label: string;
  hint: string;
  faults?: Faults;
  digits?: boolean;
}) {
  const { label, hint, faults, digits } = props;
  return (
    <TextField
      name="code"
      label={label}
      hint={hint}
      faults={faults}
      input={{
        autocomplete: 'one-time-code',
        inputMode: digits ? 'numeric' : 'text',
        maxLength: 24,
        required: true,
        spellcheck: false,
      }}
    />
  );
}

/** Shown once, whoever has set up a second factor. */
export function RecoveryCodes({ codes }: { codes: readonly string[] }) {
  return (
    <>
      <Notice kind="soon" title="Keep these codes. They are shown only now.">
        <p>
          Each replaces the authenticator once, when it is lost. Print them, or keep them in a
          password manager.
        </p>
      </Notice>
      <ol class="codes">
        {codes.map((code) => (
          <li>
            <code>{code}</code>
          </li>
        ))}
      </ol>
    </>
  );
}

/** What the member sees after the enrolment at the sign-in, before going on. */
export function recoveryCodesPage(codes: readonly string[], next: string): WrittenHtml {
  return page(
    <Layout title="Your recovery codes">
      <RecoveryCodes codes={codes} />
      <p>
        <a class="button primary" href={next}>
          I have kept them: go on
        </a>
      </p>
    </Layout>,
  );
}

function Refusal({ text }: { text: string }) {
  return (
    <section class="notice bad" role="alert" tabIndex={-1} data-focus>
      <p class="notice-title">{text}</p>
    </section>
  );
}

/** Black on white in every scheme: cameras want it so. */
function QrCode({ text }: { text: string }) {
  const { data, size } = encode(text, { border: 4 });
  const squares = data.flatMap((row, y) =>
    row.flatMap((dark, x) => (dark ? [`M${x} ${y}h1v1h-1z`] : [])),
  );
  return (
    <svg class="qr" viewBox={`0 0 ${size} ${size}`} role="img" aria-label="QR code of the key">
      <rect width={size} height={size} fill="#fff" />
      <path d={squares.join('')} fill="#000" shape-rendering="crispEdges" />
    </svg>
  );
}
