/** A page of the service, parsed; null for a refusal, a failure or a redirect. */
export async function fetchPage(path: string): Promise<Document | null> {
  const response = await fetch(path, { headers: { Accept: 'text/html' } });
  if (!response.ok || response.redirected) return null;
  return new DOMParser().parseFromString(await response.text(), 'text/html');
}
