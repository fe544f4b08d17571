import { moveByAction, moveWords } from '../../orders/moves/move-words.js';
import type { UndoOffer } from '../../orders/moves/undo.service.js';
import { PostForm } from '../forms/form-view.js';

/** The viewer's last move, with a button that takes it back. A script removes it when it is too late. */
export function UndoNotice({ undo: { reference, version, action, seconds } }: { undo: UndoOffer }) {
  const move = moveByAction(action);
  const button = (
    <button type="submit" data-key="z" aria-keyshortcuts="z">
      Undo <kbd aria-hidden="true">z</kbd>
    </button>
  );
  return (
    <div class="undo-notice" data-undo={seconds}>
      <span>{`${reference}: ${move === undefined ? action : moveWords[move].label}`}</span>
      <PostForm action={`/staff/orders/${reference}/undo`} hidden={{ version }} button={button} />
    </div>
  );
}
