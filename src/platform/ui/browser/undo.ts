// Undo: the offer goes when its time is over. The service refuses it then anyway.
export function limitUndo(notice: HTMLElement): void {
  setTimeout(
    () => {
      if (!notice.contains(document.activeElement)) notice.remove();
      else notice.querySelector('button')?.setAttribute('disabled', '');
    },
    Number(notice.dataset.undo) * 1_000,
  );
}

const shown = document.querySelector<HTMLElement>('[data-undo]');
if (shown) limitUndo(shown);
