/** Providers at which anyone in the world, or any organisation, can have an account with any address. */
export function isSharedIssuer(issuer: string): boolean {
  const { hostname, pathname } = new URL(issuer);
  const [tenant = ''] = pathname.toLowerCase().split('/').filter(Boolean);
  if (
    /^(?:login\.(?:microsoftonline\.(?:com|us)|windows\.net|partner\.microsoftonline\.cn)|sts\.windows\.net)$/.test(
      hostname,
    )
  ) {
    return ['', 'common', 'organizations', 'consumers', PERSONAL_ACCOUNTS].includes(tenant);
  }
  return SHARED_HOSTS.includes(hostname);
}

/** The tenant of Entra ID for personal Microsoft accounts. */
const PERSONAL_ACCOUNTS = '9188040d-6c67-4c5b-b112-36a304b66dad';
const SHARED_HOSTS = [
  'accounts.google.com',
  'appleid.apple.com',
  'gitlab.com',
  'login.live.com',
  'login.salesforce.com',
  'www.linkedin.com',
];
