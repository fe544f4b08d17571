import { undoneWords } from '../../orders/moves/move-words.js';
import type { UndoOffer } from '../../orders/moves/undo.service.js';
import { PostForm } from './forms/form-view.js';

interface UndoNoticeProps {
  readonly undo: UndoOffer;
  /** Says what would be undone. */
  readonly named?: true;
}

/** A button that takes the viewer's last move back. A script removes it when it is too late. */
export function UndoNotice({ undo, named }: UndoNoticeProps) {
  const { reference, version, action, seconds } = undo;
  const button = (
    <button type="submit" data-key="z" aria-keyshortcuts="z">
      Undo <kbd aria-hidden="true">z</kbd>
    </button>
  );
  return (
    <div class="undo-notice" data-undo={seconds}>
      {named && <span>{`${reference}: ${undoneWords(action)}`}</span>}
      <PostForm action={`/staff/orders/${reference}/undo`} hidden={{ version }} button={button} />
    </div>
  );
}
