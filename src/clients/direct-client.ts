import type { ApiClient } from './api-client.entity.js';

/** The built-in API client of enquiries from callers who are no client yet. It has no tokens. */
export const DIRECT_CLIENT = {
  id: '00000000-0000-4000-8000-000000000001',
  name: 'Direct enquiries',
  contactName: 'Sales team',
} as const satisfies Partial<ApiClient>;

export function isDirectClient({ id }: Pick<ApiClient, 'id'>): boolean {
  return id === DIRECT_CLIENT.id;
}
