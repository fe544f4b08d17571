import { describe, expect, it } from '@jest/globals';
import { renderToString } from 'preact-render-to-string';
import { type ApiClient, DIRECT_CLIENT } from '../../clients/api-client.entity.js';
import type { StaffCaller } from '../../platform/access/caller.js';
import { Form } from '../../platform/ui/forms/form.js';
import { send } from '../../platform/ui/forms/input-form.js';
import { QuoteFormPage, quoteFormFor } from './quote-form.js';

const viewer: StaffCaller = {
  kind: 'staff',
  staffId: 's',
  role: 'agent',
  tokenId: 't',
  name: 'Sam',
  scopes: new Set(),
};
const clients = [
  { id: 'a', name: 'Acme', enabled: true },
  { id: 'g', name: 'Gone', enabled: false },
  { ...DIRECT_CLIENT, name: 'Own customers', enabled: true },
  { id: 'b', name: 'Birch', enabled: true },
] as ApiClient[];
const form = quoteFormFor(clients);
const draw = (conflict?: string) =>
  renderToString(
    <QuoteFormPage viewer={viewer} form={form} onceKey={'once'} conflict={conflict} />,
  );

describe('the form for the quote of a client', () => {
  it('has the clients that are enabled, and callers without an account', () => {
    const [client] = form.fields;
    expect(client!.choices!.map(({ value, name }) => [value, name])).toEqual([
      ['', 'Choose…'],
      ['a', 'Acme'],
      ['b', 'Birch'],
      [DIRECT_CLIENT.id, 'A caller without an account'],
    ]);
  });

  it('asks for a file before the pasted sites, each field once', () => {
    const names = [...draw().matchAll(/<(?:input|select|textarea) [^>]*name="(\w+)"/g)];
    const fields = ['client', 'customer', 'reference', 'file', 'sites'];
    // The search of every page is before it.
    expect(names.map(([, name]) => name).slice(-6)).toEqual(['key', ...fields]);
    expect(draw()).toContain('enctype="multipart/form-data"');
    expect(draw()).toContain('name="key" value="once"');
    expect(draw()).toMatch(/<a href="\/staff\/quotes"[^>]* aria-current="page"/);
    expect(draw()).toContain('data-draft="quotes/new" data-draft-title="Quote a client"');
    expect(draw()).toMatch(/href="\/staff\/quotes"[^>]*>All quotes/);
  });

  it('says why it was not taken', () => {
    expect(draw('The client was disabled.')).toContain('The client was disabled.');
    expect(draw()).not.toContain('notice bad');
  });

  it('takes texts up to the length of a spreadsheet', async () => {
    const long = 'x'.repeat(512 * 1_024);
    const sent = async (sites: string) => {
      const all = Form.parse(new URLSearchParams({ client: 'a', sites }).toString());
      return 'result' in (await send(form, all, () => Promise.resolve()));
    };
    expect([await sent(long), await sent(`${long}x`)]).toEqual([true, false]);
  });
});
