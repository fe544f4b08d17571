/** A page of the service, parsed; null for a refusal, a failure or a redirect. */
export async function fetchPage(path: string): Promise<Document | null> {
  const response = await fetch(path, { headers: { Accept: 'text/html' } });
  if (!response.ok || response.redirected) return null;
  return parsePage(response);
}

/** A part of a page; null as above. */
export async function fetchPart(path: string, signal: AbortSignal): Promise<HTMLElement | null> {
  const response = await fetch(path, { headers: { Accept: 'text/html' }, signal });
  if (!response.ok || response.redirected) return null;
  return (await parsePage(response)).body;
}

export async function parsePage(response: Response): Promise<Document> {
  return new DOMParser().parseFromString(await response.text(), 'text/html');
}

/** A new element with these properties and children. */
export function make<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  properties: Partial<HTMLElementTagNameMap[Tag]> = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[Tag] {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
}

/** Whether the person has switched the single keys off. */
export const shortcutsAreOff = document.cookie.split(/;\s*/).includes('keys=off');
