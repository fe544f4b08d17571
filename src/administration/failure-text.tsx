import { failureWords } from '../platform/notifications/message-words.js';

/** Why a delivery failed, in plain words; the text of the error is below them. */
export function FailureText({ error }: { error: string | null }) {
  if (!error) return null;
  const words = failureWords(error);
  if (words === null) return <div>{error}</div>;
  return (
    <>
      <div>{words}</div>
      <details class="raw">
        <summary>Details</summary>
        {error}
      </details>
    </>
  );
}
