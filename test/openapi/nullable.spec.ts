import { expect, it } from '@jest/globals';
import { Ajv } from 'ajv';
import { globSync, readFileSync } from 'node:fs';

interface Document {
  readonly components: {
    readonly schemas: Record<string, { readonly properties?: Record<string, unknown> }>;
  };
}

interface Property {
  readonly owner: string;
  readonly name: string;
}

const nullable = globSync('src/**/*.dto.ts').flatMap((file) =>
  propertiesWithNull(readFileSync(file, 'utf8')),
);

/** The properties of classes whose type ends in `| null`. */
function propertiesWithNull(source: string): Property[] {
  const found: Property[] = [];
  let owner = '';
  for (const [, type, name] of source.matchAll(
    /^(?:export )?(?:abstract )?(?:class|interface|type) (\w+)|^ {2}(?:readonly )?(\w+)[!?]?:[^;]*\| null;/gm,
  )) {
    if (type !== undefined) owner = type;
    else if (name !== undefined) found.push({ owner, name });
  }
  return found;
}

it.each(['openapi.json', 'openapi-staff.json'])(
  '%s allows null where the code sends it',
  (file) => {
    const { components } = JSON.parse(readFileSync(file, 'utf8')) as Document;
    // Only null is validated, so formats and the keywords of OpenAPI do not matter.
    const ajv = new Ajv({ strict: false, validateFormats: false });
    ajv.addSchema({ components }, file);
    const described = nullable.filter(
      ({ owner, name }) => components.schemas[owner]?.properties?.[name] !== undefined,
    );
    expect(described.length).toBeGreaterThan(10);
    const refused = described.filter(({ owner, name }) => {
      const validate = ajv.getSchema(`${file}#/components/schemas/${owner}/properties/${name}`);
      return validate?.(null) !== true;
    });
    expect(refused.map(({ owner, name }) => `${owner}.${name}`)).toEqual([]);
  },
);
