import { encode } from 'uqr';
import type { StaffCaller } from '../../platform/access/caller.js';
import type { SecondFactorSetup } from '../sign-in/second-factor.service.js';
import { FormPage } from '../../platform/ui/form-page.js';
import type { FormField, RefusedForm } from '../../platform/ui/forms/form-spec.js';
import { PostForm } from '../../platform/ui/forms/form-view.js';
import { Layout } from '../../platform/ui/layout.js';
import { Copyable, CopyButton, Notice } from '../../platform/ui/parts.js';
import { nextQuery } from './sign-in-ways.js';

export function passwordField(name: string, label: string, autocomplete: string): FormField {
  return { name, label, input: { type: 'password', autocomplete, required: true } };
}

export const signInFields: readonly FormField[] = [
  {
    name: 'email',
    label: 'Email',
    input: {
      type: 'email',
      autocomplete: 'username',
      required: true,
      maxLength: 254,
      spellcheck: false,
    },
  },
  passwordField('password', 'Password', 'current-password'),
];

/** The password is typed twice, because the page cannot show it without scripts. */
export const newPasswordFields: readonly FormField[] = [
  {
    ...passwordField('password', 'New password', 'new-password'),
    hint: 'At least 12 characters. For example, three or four random words.',
  },
  passwordField('again', 'Confirm new password', 'new-password'),
];

const codeField = (hint: string, inputMode: 'numeric' | 'text'): FormField => ({
  name: 'code',
  label: 'Code',
  hint,
  input: {
    inputMode,
    autocomplete: 'one-time-code',
    maxLength: 24,
    required: true,
    spellcheck: false,
  },
});

export const changeCodeFields: readonly FormField[] = [
  codeField('Six digits from your authenticator app, or one of your recovery codes.', 'text'),
];

/** Only the account page asks for the password. */
export const setUpCodeFields: readonly FormField[] = [
  codeField('The six digits in the app now.', 'numeric'),
  {
    ...passwordField('current', 'Your password', 'current-password'),
    hint: "Enter your password to confirm it's you.",
  },
];

interface SignInProps {
  readonly passwords: boolean;
  readonly provider: boolean;
  readonly next: string;
  readonly typed?: RefusedForm;
  readonly refusal?: string;
  readonly note?: string;
}

export function SignInPage({ passwords, provider, next, typed, refusal, note }: SignInProps) {
  return (
    <Layout title="Sign in">
      {note && <Notice kind="plain" title={note} />}
      <Refusal text={refusal} />
      {provider && (
        <p class="ways">
          <a
            class={passwords ? 'button' : 'button primary'}
            href={`/staff/sign-in/provider${nextQuery(next)}`}
          >
            Sign in with your company account
          </a>
          {passwords && <span class="muted">or with your password here:</span>}
        </p>
      )}
      {passwords && (
        <>
          <PostForm
            action="/staff/sign-in"
            hidden={{ next }}
            fields={signInFields}
            refused={typed}
            button="Sign in"
            kind="primary"
          />
          <p class="hint">Forgotten your password? Ask an administrator for a reset link.</p>
        </>
      )}
    </Layout>
  );
}

interface StepProps {
  readonly next: string;
  readonly refusal?: string;
}

export function CodePage({ next, refusal }: StepProps) {
  return (
    <FormPage
      title="Enter your code"
      intro={<Refusal text={refusal} />}
      action="/staff/sign-in/code"
      hidden={{ next }}
      fields={changeCodeFields}
      button="Continue"
      cancel="/staff/sign-in"
    />
  );
}

/** For a member who has to set up a second factor to sign in. */
export function EnrolmentPage({ offer, next, refusal }: StepProps & { offer: SecondFactorSetup }) {
  const intro = (
    <>
      <p class="lead">Adds a code from your phone at sign-in.</p>
      <Refusal text={refusal} />
    </>
  );
  return (
    <FormPage
      title="Set up your second factor"
      intro={intro}
      action="/staff/sign-in/enrolment"
      hidden={{ next }}
      fields={setUpCodeFields.slice(0, 1)}
      button="Continue"
    >
      <SetUp offer={offer} />
    </FormPage>
  );
}

/** A program that works through the night must not stop when a member changes their password. */
export const TOKENS_STAY =
  'Your API tokens stay valid. If someone else may know one, ask an administrator to revoke it.';

interface SetPasswordProps {
  /** The secret in the link. */
  readonly secret: string;
  readonly name: string;
  readonly email: string;
  readonly refused?: RefusedForm;
}

/** The page that a link opens, for a first or a new password. */
export function SetPasswordPage({ secret, name, email, refused }: SetPasswordProps) {
  return (
    <FormPage
      title="Set your password"
      intro={
        <>
          <p class="lead">{`For ${name}. This also signs you in.`}</p>
          <p>{TOKENS_STAY}</p>
        </>
      }
      action={`/staff/set-password/${encodeURIComponent(secret)}`}
      fields={newPasswordFields}
      refused={refused}
      button="Set password"
    >
      <Username email={email} />
    </FormPage>
  );
}

export function DeadLinkPage() {
  return (
    <Layout title="This link cannot be used">
      <p class="lead">It was used before, it has expired, or a newer link replaced it.</p>
      <p>
        Ask an administrator for a new link, or <a href="/staff/sign-in">sign in</a> if you have
        already set your password.
      </p>
    </Layout>
  );
}

/** Tells password managers whose password a form sets. */
export function Username({ email }: { email: string }) {
  return (
    <input type="text" name="username" value={email} autocomplete="username" hidden readOnly />
  );
}

export function SetUp({ offer }: { offer: SecondFactorSetup }) {
  return (
    <>
      <p>
        Scan this with an authenticator app, for example on your phone or in your password manager.
      </p>
      <QrCode text={offer.uri} />
      <p>
        Or enter this key: <Copyable text={offer.key} label="the key" />
      </p>
    </>
  );
}

interface RecoveryCodesProps {
  readonly codes: readonly string[];
  /** Missing during the sign-in. */
  readonly viewer?: StaffCaller;
  readonly next: string;
}

/** Shown once, after setup. */
export function RecoveryCodesPage({ codes, viewer, next }: RecoveryCodesProps) {
  return (
    <Layout title="Your recovery codes" viewer={viewer} width={viewer && 'narrow'}>
      <Notice kind="soon" title="Save these codes now: they are not shown again.">
        <p>
          If you lose the app, each code works once instead. Print them, or keep them in a password
          manager.
        </p>
      </Notice>
      <ol class="codes">
        {codes.map((code) => (
          <li>
            <code>{code}</code>
          </li>
        ))}
      </ol>
      <p class="actions">
        <CopyButton text={codes.join('\n')} label="all codes" named />
        <a
          class="button"
          download="recovery-codes.txt"
          href={`data:text/plain;charset=utf-8,${encodeURIComponent(`${codes.join('\n')}\n`)}`}
        >
          Download
        </a>
        <a class="button primary" href={next}>
          I've saved these codes
        </a>
      </p>
    </Layout>
  );
}

function Refusal({ text }: { text: string | undefined }) {
  if (text === undefined) return null;
  return (
    <section class="notice bad" role="alert" tabIndex={-1} data-focus>
      <p class="notice-title">{text}</p>
    </section>
  );
}

/** Black on white in every colour scheme, so that cameras can read it. */
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
