import type { FlashMessage } from './flash-messages.js';

/** Shown once above the page, and read out by the live region. */
export function Flash({ said, order }: { said: FlashMessage | null; order?: string }) {
  if (!said) return null;
  return (
    <section class="notice good flash" tabIndex={-1} data-focus data-said>
      <p class="notice-title">{said.text}</p>
      {said.undo && order !== undefined && (
        <a href={`/staff/orders/${order}/${said.undo.path}`} data-dialog>
          {said.undo.label}
        </a>
      )}
    </section>
  );
}
