export interface SampleRequest {
  readonly method: string;
  readonly url: string;
  readonly needsToken: boolean;
  /** Other than `Authorization` and `Content-Type`. */
  readonly headers: Readonly<Record<string, string>>;
  /** The JSON body, if any. */
  readonly body?: unknown;
  /** Parts of a multipart form; a value that starts with `@` names a file. */
  readonly form?: Readonly<Record<string, string>>;
  readonly answer: 'json' | 'text' | 'stream';
}

interface Sample {
  /** The extension of its files. */
  readonly language: string;
  readonly name: string;
  readonly code: string;
}

/**
 * The request as a whole program in each language, with standard libraries only. The token comes from
 * the environment. A form, and a stream that does not end, are shown for curl only.
 */
export function samplesOf(request: SampleRequest): Sample[] {
  const samples = [
    { language: 'sh', name: 'curl', code: curl(request) },
    { language: 'ts', name: 'TypeScript', code: typescript(request) },
    { language: 'py', name: 'Python', code: python(request) },
    { language: 'php', name: 'PHP', code: php(request) },
    { language: 'cs', name: 'C#', code: csharp(request) },
  ];
  return request.form || request.answer === 'stream' ? samples.slice(0, 1) : samples;
}

/** The method, where the libraries would not choose it. */
function unusual({ method, body, form }: SampleRequest): string | undefined {
  return method === (body === undefined && !form ? 'GET' : 'POST') ? undefined : method;
}

function headersOf({ headers, body }: SampleRequest): [string, string][] {
  const type: [string, string][] = body === undefined ? [] : [['Content-Type', 'application/json']];
  return [...type, ...Object.entries(headers)];
}

function curl(request: SampleRequest): string {
  const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
  const { url, body, form = {}, needsToken, answer } = request;
  const method = unusual(request);
  const start = `curl${answer === 'stream' ? ' -N' : ''}${method ? ` -X ${method}` : ''}`;
  return [
    `${start} ${quoted(url)}`,
    ...(needsToken ? ['-H "Authorization: Bearer $TOKEN"'] : []),
    ...headersOf(request).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    ...Object.entries(form).map(([name, value]) => `-F ${quoted(`${name}=${value}`)}`),
    ...(body === undefined ? [] : [`-d ${quoted(indent(json(body)))}`]),
  ].join(' \\\n  ');
}

function typescript(request: SampleRequest): string {
  const { method, url, body, needsToken, answer } = request;
  const headers = [
    ...(needsToken ? ['Authorization: `Bearer ${process.env.TOKEN}`'] : []),
    ...headersOf(request).map(([name, value]) => `"${name}": ${JSON.stringify(value)}`),
  ];
  const options = [
    ...(method === 'GET' ? [] : [`  method: "${method}",`]),
    ...(headers.length > 0 ? ['  headers: {', ...headers.map((one) => `    ${one},`), '  },'] : []),
    ...(body === undefined
      ? []
      : [`  body: JSON.stringify(${indent(json(body).replaceAll(/^( *)"(\w+)":/gm, '$1$2:'))}),`]),
  ];
  const argument = options.length > 0 ? `, {\n${options.join('\n')}\n}` : '';
  return `const response = await fetch("${url}"${argument});
console.log(response.status, await response.${answer}());`;
}

function python(request: SampleRequest): string {
  const { method, url, body, needsToken, answer } = request;
  const headers = [
    ...(needsToken ? [`"Authorization": f"Bearer {os.environ['TOKEN']}"`] : []),
    ...headersOf(request).map(([name, value]) => `"${name}": ${JSON.stringify(value)}`),
  ];
  const literal = json(body ?? null, 4).replaceAll(
    /(: |^ *)(true|false|null)(?=,?$)/gm,
    (_, before: string, word: string) =>
      before + { true: 'True', false: 'False', null: 'None' }[word],
  );
  const isJson = answer === 'json';
  return [
    ...(isJson || body !== undefined ? ['import json'] : []),
    ...(needsToken ? ['import os'] : []),
    'from urllib.request import Request, urlopen',
    '',
    'request = Request(',
    `    "${url}",`,
    `    method="${method}",`,
    ...(headers.length > 0
      ? ['    headers={', ...headers.map((one) => `        ${one},`), '    },']
      : []),
    ...(body === undefined ? [] : [`    data=json.dumps(${indent(literal, 4)}).encode(),`]),
    ')',
    'with urlopen(request) as response:',
    `    print(response.status, ${isJson ? 'json.load(response)' : 'response.read().decode()'})`,
  ].join('\n');
}

function php(request: SampleRequest): string {
  const { method, url, body, needsToken, answer } = request;
  const headers = [
    ...(needsToken ? [`'Authorization: Bearer ' . getenv('TOKEN')`] : []),
    ...headersOf(request).map(([name, value]) => `'${name}: ${value}'`),
  ];
  // Strings stay in double quotes, where PHP reads JSON's escapes, and a dollar needs one.
  const literal = json(body ?? null, 4)
    .replaceAll('$', '\\$')
    .replaceAll(/^( *"(?:[^"\\]|\\.)*"): /gm, '$1 => ')
    .replaceAll(/^( *(?:".*" => )?)[{[]([}\]]?)(,?)$/gm, (_, before: string, end: string, comma) =>
      [before, '[', end && ']', comma].join(''),
    )
    .replaceAll(/^( *)[}\]](,?)$/gm, '$1]$2');
  return [
    '<?php',
    `$context = stream_context_create(['http' => [`,
    `    'method' => '${method}',`,
    ...(headers.length > 0
      ? [`    'header' => [`, ...headers.map((one) => `        ${one},`), '    ],']
      : []),
    ...(body === undefined ? [] : [`    'content' => json_encode(${indent(literal, 4)}),`]),
    `    'ignore_errors' => true,`,
    ']]);',
    `$answer = file_get_contents('${url}', false, $context);`,
    answer === 'json' ? 'print_r(json_decode($answer, true));' : 'echo $answer;',
  ].join('\n');
}

function csharp(request: SampleRequest): string {
  const { method, url, body, headers, needsToken } = request;
  const verb = `HttpMethod.${method[0]}${method.slice(1).toLowerCase()}`;
  const literal = indent(json(body ?? null), 4);
  return [
    ...(body === undefined ? [] : ['using System.Text;', '']),
    'using var client = new HttpClient();',
    `using var request = new HttpRequestMessage(${verb}, "${url}");`,
    ...(needsToken
      ? [
          'var token = Environment.GetEnvironmentVariable("TOKEN");',
          'request.Headers.Add("Authorization", $"Bearer {token}");',
        ]
      : []),
    ...Object.entries(headers).map(
      ([name, value]) => `request.Headers.Add("${name}", ${JSON.stringify(value)});`,
    ),
    ...(body === undefined
      ? []
      : [
          `request.Content = new StringContent("""\n    ${literal}\n    """, Encoding.UTF8, "application/json");`,
        ]),
    'using var response = await client.SendAsync(request);',
    'Console.WriteLine((int)response.StatusCode);',
    'Console.WriteLine(await response.Content.ReadAsStringAsync());',
  ].join('\n');
}

function json(value: unknown, spaces = 2): string {
  return JSON.stringify(value, null, spaces);
}

function indent(text: string, spaces = 2): string {
  return text.replaceAll('\n', `\n${' '.repeat(spaces)}`);
}
