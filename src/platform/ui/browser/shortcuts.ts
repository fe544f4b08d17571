/** Whether the person has switched the single keys off. */
export const shortcutsAreOff = document.cookie.split(/;\s*/).includes('keys=off');
