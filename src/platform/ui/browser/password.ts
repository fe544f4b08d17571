// A button after each password field shows what is typed.
import { say } from './say.js';

for (const button of document.querySelectorAll<HTMLButtonElement>('button[data-shows]')) {
  const field = document.getElementById(button.dataset.shows ?? '') as HTMLInputElement;
  button.hidden = false;
  button.addEventListener('click', () => {
    const isShown = field.type === 'password';
    field.type = isShown ? 'text' : 'password';
    button.setAttribute('aria-pressed', String(isShown));
    say(isShown ? 'Your password is shown.' : 'Your password is hidden.');
  });
  // Browsers offer to keep a password only where its field is one.
  field.form?.addEventListener('submit', () => (field.type = 'password'));
}
