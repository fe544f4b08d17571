/** Puts the text into the live region, which a screen reader reads out. */
export function say(text: string): void {
  const said = document.getElementById('said');
  if (said) said.textContent = text;
}

// After a form: focus the result, and remove the flash message from the address and so from reloads.
document.querySelector<HTMLElement>('[data-focus]')?.focus();
const flash = document.querySelector('[data-said] .notice-title');
if (flash) {
  const here = new URL(location.href);
  here.searchParams.delete('said');
  history.replaceState(history.state, '', here);
  // A live region reads out only changes after the page was read.
  setTimeout(() => say(flash.textContent), 300);
}
