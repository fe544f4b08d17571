import { say } from './say.js';

/** Shows the copy buttons, which pages hide because they need this script. */
export function showCopyButtons(within: ParentNode): void {
  for (const button of within.querySelectorAll<HTMLButtonElement>('button[data-copy]')) {
    button.hidden = false;
  }
}

showCopyButtons(document);

document.addEventListener('click', (event) => {
  const button = (event.target as Element).closest<HTMLButtonElement>('button[data-copy]');
  if (!button) return;
  void navigator.clipboard.writeText(button.dataset.copy ?? '').then(() => {
    const word = button.querySelector('span') ?? button;
    const before = word.textContent;
    word.textContent = 'Copied';
    say('Copied.');
    setTimeout(() => (word.textContent = before), 1500);
  });
});
