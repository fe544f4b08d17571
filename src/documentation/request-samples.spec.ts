import { expect, it, test } from '@jest/globals';
import { type SampleRequest, samplesOf } from './request-samples.js';

const order: SampleRequest = {
  method: 'POST',
  url: 'https://api.example.org/order',
  needsToken: true,
  headers: { 'Idempotency-Key': 'k1' },
  body: { postcode: 'EC2A 2BS', contact: { isOwner: true } },
  answer: 'json',
};
const health: SampleRequest = {
  method: 'GET',
  url: 'https://api.example.org/health',
  needsToken: false,
  headers: {},
  answer: 'text',
};
const codeOf = (request: SampleRequest, name: string) =>
  samplesOf(request).find((sample) => sample.name === name)?.code;

test.each([
  [
    'curl',
    `curl 'https://api.example.org/order' \\
  -H "Authorization: Bearer $TOKEN" \\
  -H 'Content-Type: application/json' \\
  -H 'Idempotency-Key: k1' \\
  -d '{
    "postcode": "EC2A 2BS",
    "contact": {
      "isOwner": true
    }
  }'`,
    `curl 'https://api.example.org/health'`,
  ],
  [
    'TypeScript',
    `const response = await fetch("https://api.example.org/order", {
  method: "POST",
  headers: {
    Authorization: \`Bearer \${process.env.TOKEN}\`,
    "Content-Type": "application/json",
    "Idempotency-Key": "k1",
  },
  body: JSON.stringify({
    postcode: "EC2A 2BS",
    contact: {
      isOwner: true
    }
  }),
});
console.log(response.status, await response.json());`,
    `const response = await fetch("https://api.example.org/health");
console.log(response.status, await response.text());`,
  ],
  [
    'C#',
    `using System.Text;

using var client = new HttpClient();
using var request = new HttpRequestMessage(HttpMethod.Post, "https://api.example.org/order");
var token = Environment.GetEnvironmentVariable("TOKEN");
request.Headers.Add("Authorization", $"Bearer {token}");
request.Headers.Add("Idempotency-Key", "k1");
request.Content = new StringContent("""
    {
      "postcode": "EC2A 2BS",
      "contact": {
        "isOwner": true
      }
    }
    """, Encoding.UTF8, "application/json");
using var response = await client.SendAsync(request);
Console.WriteLine((int)response.StatusCode);
Console.WriteLine(await response.Content.ReadAsStringAsync());`,
    `using var client = new HttpClient();
using var request = new HttpRequestMessage(HttpMethod.Get, "https://api.example.org/health");
using var response = await client.SendAsync(request);
Console.WriteLine((int)response.StatusCode);
Console.WriteLine(await response.Content.ReadAsStringAsync());`,
  ],
])(
  'a request in %s has its headers and body, and nothing that it does not need',
  (name, ...both) => {
    expect([codeOf(order, name), codeOf(health, name)]).toEqual(both);
  },
);

it('shows a form, and a stream without end, for curl only', () => {
  const form = { ...health, method: 'POST', form: { products: '@products.csv', label: "it's" } };
  expect(samplesOf(form).map(({ code }) => code)).toEqual([
    `curl 'https://api.example.org/health' \\\n  -F 'products=@products.csv' \\\n  -F 'label=it'\\''s'`,
  ]);
  expect(samplesOf({ ...health, answer: 'stream' }).map(({ code }) => code)).toEqual([
    `curl -N 'https://api.example.org/health'`,
  ]);
});
