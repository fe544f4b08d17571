import type { Said } from './said.js';

/** What happened, once: shown on top, spoken by the live region, and gone with the next page. */
export function Flash({ said, order }: { said: Said | null; order?: string }) {
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
