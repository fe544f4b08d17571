/** Puts the text into the live region, which a screen reader reads out. */
export function say(text: string): void {
  const said = document.getElementById('said');
  if (said) said.textContent = text;
}

/** After a form: focuses the result, or the field that it names. */
export function focusResult(within: ParentNode): void {
  const result = within.querySelector<HTMLElement>('[data-focus]');
  const field = document.getElementById(result?.dataset.focus ?? '');
  (field ?? result)?.focus();
}

// After a form: focus the result, and remove the flash message from the address and so from reloads.
focusResult(document);
const flash = document.querySelector('[data-said] .notice-title');
if (flash) {
  const here = new URL(location.href);
  here.searchParams.delete('said');
  history.replaceState(history.state, '', here);
  // A live region reads out only changes after the page was read.
  setTimeout(() => say(flash.textContent), 300);
}
