/** Plain words for the errors of deliveries, on pages and at the command line. */
import { upperFirst } from '../kernel/text.js';

type WriteWords = (...parts: string[]) => string;

/** Error codes of Node.js with the host or address that follows them, and texts of OpenSSL and SMTP. */
const failures: readonly (readonly [pattern: RegExp, words: WriteWords])[] = [
  [/ENOTFOUND ?([\w.-]*)/, (host) => `${host || 'The host'} could not be found (DNS)`],
  [/The name ([\w.-]+) has no address/, (host) => `${host} could not be found (DNS)`],
  [/EAI_AGAIN ?([\w.-]*)/, (host) => `the name server did not answer for ${host || 'the host'}`],
  [/ECONNREFUSED ?([\w.:-]*)/, (to) => `${to || 'The host'} refused the connection`],
  [/ECONNRESET|socket hang up|Unexpected socket close/i, () => 'The connection was cut off'],
  [/EHOSTUNREACH|ENETUNREACH/, () => 'There is no network route to the host'],
  [/EPIPE/, () => 'The receiver closed the connection while the message was sent'],
  [
    /ETIMEDOUT|Connection timeout|Greeting never received|No complete response within|took longer than/i,
    () => 'The receiver did not answer in time',
  ],
  [
    /certificate has expired|CERT_HAS_EXPIRED/i,
    () => 'The certificate of the host has expired (TLS)',
  ],
  [
    /altnames|ERR_TLS_CERT_ALTNAME_INVALID/i,
    () => 'The certificate is for another host name (TLS)',
  ],
  [
    /self-signed certificate|unable to (?:verify|get)|DEPTH_ZERO_SELF_SIGNED|UNABLE_TO_/i,
    () => 'The certificate of the host is not trusted (TLS)',
  ],
  [
    /\bEPROTO\b|wrong version number|SSL routines|tlsv1/i,
    () => 'No secure connection was possible (TLS)',
  ],
  [
    /not on the public internet/,
    () => 'The host has an address that is not on the public internet',
  ],
  [/^It answered 3\d\d/, () => 'The receiver redirected the message, which webhooks do not follow'],
  [
    /^It answered (401|403)/,
    (status) => `The receiver did not permit the message (HTTP ${status})`,
  ],
  [/^It answered 404/, () => 'The receiver has nothing at this address (HTTP 404)'],
  [/^It answered 429/, () => 'The receiver got too many messages (HTTP 429)'],
  [/^It answered (4\d\d)/, (status) => `The receiver refused the message (HTTP ${status})`],
  [/^It answered (5\d\d)/, (status) => `The receiver had an error (HTTP ${status})`],
  [/Invalid login|\b(?:534|535)\b/, () => 'The mail server refused the name or password'],
  [/\b55[0-4]\b/, () => 'The mail server refused the recipient'],
  [/\b4[25]\d\b/, () => 'The mail server could not accept the email now'],
];

/** What went wrong, in a few words; null for an unknown error, whose own text is shown. */
export function failureWords(error: string): string | null {
  for (const [pattern, words] of failures) {
    const found = pattern.exec(error);
    if (!found) continue;
    const text = words(...found.slice(1).map((part = '') => part));
    // A host name keeps its letters.
    return /^[a-z]+ /.test(text) ? upperFirst(text) : text;
  }
  return null;
}
