export {};
// Buttons that copy a text: hidden until there is a script that can do it.
for (const button of document.querySelectorAll<HTMLButtonElement>('button[data-copy]')) {
  button.hidden = false;
}

document.addEventListener('click', (event) => {
  const button = (event.target as Element).closest<HTMLButtonElement>('button[data-copy]');
  if (!button) return;
  void navigator.clipboard.writeText(button.dataset.copy ?? '').then(() => {
    const before = button.textContent;
    button.textContent = 'Copied';
    say('Copied.');
    setTimeout(() => (button.textContent = before), 1500);
  });
});

function say(text: string): void {
  const said = document.getElementById('said');
  if (said) said.textContent = text;
}
