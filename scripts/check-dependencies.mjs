/**
 * What is shipped: every package has a licence that may be shipped, and none a known vulnerability of
 * high severity. Where the registry does not answer, the second half is skipped, and says so.
 */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

const allowed = new Set([
  ...['MIT', 'ISC', 'BSD-2-Clause', 'BSD-3-Clause', 'Apache-2.0', '0BSD', 'BlueOak-1.0.0'],
  ...['MIT-0', 'CC0-1.0', 'Unlicense', 'Python-2.0', 'PostgreSQL'],
]);

/** Whether one of the alternatives, or all of the parts, may be shipped. */
function mayBeShipped(licence) {
  const plain = licence.replaceAll(/[()]/g, '');
  return plain.split(' OR ').some((part) => part.split(' AND ').every((one) => allowed.has(one)));
}

/** Older packages name it otherwise, or only enclose its text. */
function licenceInside(path) {
  try {
    const { license, licenses } = JSON.parse(readFileSync(`${path}/package.json`, 'utf8'));
    const named = license?.type ?? licenses?.[0]?.type;
    if (named) return named;
    const files = readdirSync(path);
    const file = [/^licen[cs]e/i, /^readme/i]
      .map((name) => files.find((it) => name.test(it)))
      .find(Boolean);
    const text = readFileSync(`${path}/${file}`, 'utf8');
    return /Permission is hereby granted, free of charge|\bMIT\b/.test(text) ? 'MIT' : undefined;
  } catch {
    return undefined;
  }
}

const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8'));
const shipped = Object.entries(packages).filter(([path, { dev }]) => path !== '' && !dev);
const faults = shipped.flatMap(([path, entry]) => {
  const { version, optional } = entry;
  const license = entry.license ?? licenceInside(path);
  if (typeof license !== 'string')
    return optional ? [] : [`${path} ${version}: no licence is named`];
  return mayBeShipped(license) ? [] : [`${path} ${version}: ${license}`];
});
console.log(`${shipped.length} packages are shipped; ${faults.length} licences are not allowed.`);
for (const fault of faults) console.error(`  ${fault}`);

const audit = spawnSync('npm', ['audit', '--omit=dev', '--json'], { encoding: 'utf8' });
let report;
try {
  report = JSON.parse(audit.stdout);
} catch {
  report = undefined;
}
if (!report?.metadata) {
  console.log('The registry tells of no vulnerabilities here: that check is skipped.');
} else {
  const { high, critical, total } = report.metadata.vulnerabilities;
  console.log(`${total} known vulnerabilities, ${high + critical} of them high or critical.`);
  if (high + critical > 0) {
    for (const [name, { severity }] of Object.entries(report.vulnerabilities ?? {})) {
      console.error(`  ${name}: ${severity}`);
    }
    faults.push('vulnerabilities');
  }
}
process.exit(faults.length > 0 ? 1 : 0);
