import { messagesOf, nameOf, operationsOf } from './described.mjs';

const snake = (name) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const literal = (value) => JSON.stringify(value);

/** A type, whose names are resolved when a type checker reads them. */
function typeOf(schema, inline) {
  const type = plainTypeOf(schema, inline);
  return schema.nullable ? `Optional[${type}]` : type;
}

function plainTypeOf(schema, inline) {
  if (schema.$ref) return `"${nameOf(schema.$ref)}"`;
  if (schema.allOf?.length === 1) return typeOf(schema.allOf[0], inline);
  const several = schema.oneOf ?? schema.anyOf;
  if (several) return `Union[${several.map((one) => typeOf(one, inline)).join(', ')}]`;
  // A Literal has no number with a point.
  if (schema.enum && schema.type === 'string') {
    return `Literal[${schema.enum
      .filter((one) => one !== null)
      .map(literal)
      .join(', ')}]`;
  }
  if (schema.type === 'array') return `List[${typeOf(schema.items, inline)}]`;
  if (schema.type === 'object') {
    if (schema.properties) return `"${inline(schema)}"`;
    const { additionalProperties: values } = schema;
    return `Dict[str, ${values && values !== true ? typeOf(values, inline) : 'Any'}]`;
  }
  return { string: 'str', integer: 'int', number: 'float', boolean: 'bool' }[schema.type] ?? 'Any';
}

const docOf = (text = '', indent = '    ') =>
  text === ''
    ? ''
    : `${indent}"""${text.replaceAll('\\', '\\\\').replaceAll('"""', "'''").replaceAll('\n', ' ')}"""\n`;

/** The schemas, as typed dictionaries of their names. */
export function pythonTypes(document) {
  const written = [];
  for (const [name, schema] of Object.entries(document.components.schemas)) {
    if (schema.type === 'object' && schema.properties) written.push(...dictionary(name, schema));
    else written.push(`${name} = ${typeOf(schema, () => 'Any')}\n`);
  }
  const messages = messagesOf(document).map((name) => `"${name}"`);
  return `"""What the service sends and receives. Generated from its description."""

from typing import Any, Dict, List, Literal, Optional, TypedDict, Union

${written.join('\n')}
WebhookMessage = Union[${messages.join(', ')}]
`;
}

/** Words that no field of a class can have as its name. */
const keywords =
  /^(?:and|as|class|def|del|from|global|if|import|in|is|not|or|pass|with|None|True|False)$/;

/** Before Python 3.11, a dictionary with keys that may be missing needs a class for the others. */
function dictionary(name, { properties, required = [], description }) {
  const inner = [];
  const fields = Object.entries(properties).map(([field, schema]) => {
    const inline = (object) => {
      const own = `${name}${field.replace(/^./, (letter) => letter.toUpperCase())}`;
      inner.push(...dictionary(own, object));
      return own;
    };
    const type = typeOf(schema, inline);
    return { field, type, text: `    ${field}: ${type}\n${docOf(schema.description)}` };
  });
  // Only the functional form takes any name.
  const reserved = fields.filter(({ field }) => keywords.test(field));
  const entries = reserved.map(({ field, type }) => `${literal(field)}: ${type}`).join(', ');
  const base = reserved.length === 0 ? 'TypedDict' : `_${name}Reserved`;
  if (reserved.length > 0) inner.push(`${base} = TypedDict("${base}", {${entries}})\n`);
  const lines = (isRequired) =>
    fields
      .filter((one) => required.includes(one.field) === isRequired && !reserved.includes(one))
      .map(({ text }) => text)
      .join('');
  const [needed, optional] = [lines(true), lines(false)];
  const doc = docOf(description);
  const classes =
    optional === ''
      ? [`class ${name}(${base}):\n${doc}${needed || (doc ? '' : '    pass\n')}`]
      : needed === ''
        ? [`class ${name}(${base}, total=False):\n${doc}${optional}`]
        : [
            `class _${name}(${base}):\n${needed}`,
            `class ${name}(_${name}, total=False):\n${doc}${optional}`,
          ];
  return [...inner, ...classes];
}

/** A class with a method for each operation. */
export function pythonOperations(document) {
  return `"""One method for each operation of the service. Generated from its description."""

from __future__ import annotations

from http.client import HTTPResponse
from typing import Any, Literal, Optional, Union, cast
from urllib.parse import quote

from . import types


class Operations:
    def _send(self, method: str, path: str, **asked: Any) -> Any:
        raise NotImplementedError

    def _request(self, method: str, path: str, **asked: Any) -> HTTPResponse:
        raise NotImplementedError
${operationsOf(document).map(methodsOf).join('')}`;
}

function methodsOf(operation) {
  const { json, others, takesCsv, body } = operation;
  const answer = json?.$ref ? `types.${nameOf(json.$ref)}` : 'Any';
  const sent = body && { type: `types.${nameOf(body.schema.$ref)}`, required: body.required };
  return [
    ...(json ? [method(operation, '', sent, '_send', answer)] : []),
    ...(takesCsv
      ? [
          method(
            operation,
            '_from_csv',
            { type: 'Union[str, bytes]', required: true },
            '_send',
            answer,
          ),
        ]
      : []),
    ...(others.length > 0 ? [method(operation, '_as', undefined, '_request', 'HTTPResponse')] : []),
  ].join('');
}

function method(operation, suffix, body, send, answer) {
  const { id, method, path, doc, parameters, isKeyed, isOnce, others } = operation;
  const typed = ({ identifier, schema, required }) => {
    const type = typeOf(schema, () => 'Any').replace(/^(Optional\[)?"(\w+)"/, '$1types.$2');
    return `${snake(identifier)}: ${required ? type : `Optional[${type}] = None`}`;
  };
  const within = (place) => parameters.filter((one) => one.in === place);
  const positional = [
    ...within('path').map(typed),
    ...(body ? [`body: ${body.required ? body.type : `Optional[${body.type}] = None`}`] : []),
  ];
  const named = [
    ...(suffix === '_as' ? [`accept: Literal[${others.map(literal).join(', ')}]`] : []),
    ...[...within('query'), ...within('header')]
      .sort((a, b) => Number(b.required ?? 0) - Number(a.required ?? 0))
      .map(typed),
    ...(isKeyed ? ['key: Optional[str] = None'] : []),
  ];
  const listed = ['self', ...positional, ...(named.length > 0 ? ['*', ...named] : [])].join(', ');
  const filled = path.replaceAll(
    /\{(\w+)\}/g,
    (_, name) => `{quote(str(${snake(name)}), safe='')}`,
  );
  const mapping = (fields) =>
    `{${fields.map(({ name, identifier }) => `"${name}": ${snake(identifier)}`).join(', ')}}`;
  const headers = [
    ...within('header'),
    ...(suffix === '_as' ? [{ name: 'Accept', identifier: 'accept' }] : []),
  ];
  const sent = [
    `"${method}"`,
    `${filled === path ? '' : 'f'}"${filled}"`,
    ...(within('query').length > 0 ? [`query=${mapping(within('query'))}`] : []),
    ...(headers.length > 0 ? [`headers=${mapping(headers)}`] : []),
    ...(body ? ['body=body'] : []),
    ...(isKeyed ? ['keyed=True', 'key=key'] : []),
    ...(isOnce ? ['once=True'] : []),
  ];
  const isTyped = answer.startsWith('types.');
  return `
    def ${snake(id)}${suffix}(${listed}) -> ${answer}:
${docOf(doc, '        ')}        return ${isTyped ? `cast("${answer}", ` : ''}self.${send}(${sent.join(', ')})${isTyped ? ')' : ''}
`;
}
