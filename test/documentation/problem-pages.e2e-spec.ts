import { beforeAll, describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { problemTypes } from '../../src/platform/problems/problem-types.js';
import { type Service, startService } from '../support/service.js';

describe('the pages that explain problems', () => {
  let service: Service;
  const names = Object.keys(problemTypes);

  beforeAll(async () => {
    service = await startService('sqlite');
  });

  it.each(Object.entries(problemTypes))('have one for %s', async (name, { status, title }) => {
    const page = await service.http.get(`/problems/${name}`);
    expect([page.status, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    expect(page.body).toContain(`<h1>${title}</h1>`);
    expect(page.body).toContain(`<code>${name}</code>, HTTP status ${status}`);
  });

  it('have a list with a link to each', async () => {
    const { status, body } = await service.http.get<string>('/problems');
    const links = [...body.matchAll(/href="\/problems\/([a-z-]+)"/g)].map(([, name]) => name);
    expect([status, links.sort()]).toEqual([200, [...names].sort()]);
  });

  it('list for API clients only what the operations for them, or any request, can be answered', async () => {
    const { body } = await service.http.get<string>('/problems');
    const [forClients = '', forStaff = ''] = body.split(/<h2[^>]*operator/);
    const codesIn = (html: string) =>
      [...html.matchAll(/href="\/problems\/([a-z-]+)"/g)].map(([, code]) => code!);
    const description = readFileSync('openapi.json', 'utf8');
    const isDescribed = (code: string) => description.includes(`"${code}"`);
    const ofAnyRequest = [
      ...['cross-site-request', 'method-not-allowed', 'request-timeout', 'uri-too-long'],
      'header-fields-too-large',
    ];
    expect(codesIn(forClients).filter((code) => !isDescribed(code))).toEqual(ofAnyRequest);
    expect(codesIn(forStaff).filter(isDescribed)).toEqual([]);
  });

  it.each(['no-such-problem', 'constructor', '__proto__'])('have none for %s', async (name) => {
    const { status, body } = await service.http.get(`/problems/${name}`);
    expect([status, body]).toEqual([404, expect.objectContaining({ code: 'not-found' })]);
  });
});
