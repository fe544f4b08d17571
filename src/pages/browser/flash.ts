import { say } from './say.js';

// What happened is said once: not again when somebody comes back to the page or reloads it.
const flash = document.querySelector('[data-said] .notice-title');
if (flash) {
  const here = new URL(location.href);
  here.searchParams.delete('said');
  history.replaceState(history.state, '', here);
  // A live region speaks what changes in it after the page was read.
  setTimeout(() => say(flash.textContent), 300);
}
