// Undo: the offer goes when its time is over. The service refuses it then anyway.
const offer = document.querySelector<HTMLElement>('[data-undo]');
if (offer) {
  setTimeout(
    () => {
      const notice = offer.closest('.undo-notice') ?? offer;
      if (!notice.contains(document.activeElement)) notice.remove();
      else offer.querySelector('button')?.setAttribute('disabled', '');
    },
    Number(offer.dataset.undo) * 1_000,
  );
}
export {};
