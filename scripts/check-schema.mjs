// node scripts/check-schema.mjs <file.yml> <schema.json>: validates a YAML file, with the packages of the linters.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { parse } from 'yaml';

const [, , file, schemaFile] = process.argv;
// The linter of the API descriptions brings a validator of JSON Schema.
const require = createRequire(createRequire(import.meta.url).resolve('@stoplight/spectral-cli'));
const { default: Ajv } = require('ajv/dist/2019.js');
const schema = JSON.parse(readFileSync(schemaFile, 'utf8'));
const validate = new Ajv({ strict: false, allErrors: true, validateFormats: false }).compile(
  schema,
);
if (!validate(parse(readFileSync(file, 'utf8')))) {
  for (const { instancePath, message } of validate.errors)
    console.error(`${file} ${instancePath}: ${message}`);
  process.exit(1);
}
console.log(`${file} is valid.`);
