import type { ComponentChildren } from 'preact';
import { PostForm } from './forms/form-view.js';

/** A change of the viewer that can still be undone. */
export interface Undoable {
  readonly reference: string;
  /** The version that the change made. */
  readonly version: number;
  /** What was done, in words. */
  readonly done: string;
  /** Its words stay on the page after that. */
  readonly isReceipt: boolean;
  /** How long it can still be undone. */
  readonly seconds: number;
}

interface UndoNoticeProps {
  readonly undo: Undoable;
  /** Says what would be undone. */
  readonly named?: true;
}

/** A button that takes the viewer's last change back. A script removes it when it is too late. */
export function UndoNotice({ undo, named }: UndoNoticeProps) {
  const { reference, version, done, seconds, isReceipt } = undo;
  const action = `/staff/orders/${reference}/undo`;
  return (
    <UndoForm action={action} seconds={seconds} isReceipt={named && isReceipt} hidden={{ version }}>
      {named && <span>{`${reference}: ${done}`}</span>}
    </UndoForm>
  );
}

interface UndoFormProps {
  readonly action: string;
  readonly hidden: Readonly<Record<string, string | number>>;
  readonly seconds: number;
  readonly isReceipt?: boolean;
  readonly children?: ComponentChildren;
}

export function UndoForm({ action, hidden, seconds, isReceipt, children }: UndoFormProps) {
  const button = (
    <button type="submit" data-key="z" aria-keyshortcuts="z">
      Undo <kbd aria-hidden="true">z</kbd>
    </button>
  );
  return (
    <div class="undo-notice" data-undo={seconds} data-receipt={isReceipt}>
      {children}
      <PostForm action={action} hidden={hidden} button={button} />
    </div>
  );
}
