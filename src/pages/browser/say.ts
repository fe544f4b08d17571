/** Has a screen reader speak the text; nothing is seen of it. */
export function say(text: string): void {
  const said = document.getElementById('said');
  if (said) said.textContent = text;
}
