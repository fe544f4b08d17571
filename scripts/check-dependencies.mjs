/**
 * Checks that every production dependency has an accepted licence and no known vulnerability of high
 * severity, and that every production or installed dependency has its hash in the lock.
 *
 * DEPENDENCY_AUDIT says what happens if the registry does not answer about vulnerabilities. `required`
 * (the default): the check fails. `if-offered`: it passes if the registry says that it has no such
 * service, as mirrors do. `off`: the script does not ask the registry.
 */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

const allowed = new Set([
  ...['MIT', 'ISC', 'BSD-2-Clause', 'BSD-3-Clause', 'Apache-2.0', '0BSD', 'BlueOak-1.0.0'],
  ...['MIT-0', 'CC0-1.0', 'Unlicense', 'Python-2.0', 'PostgreSQL', 'Zlib'],
]);

/** Whether one of the alternatives, or all of the parts, are accepted. */
function mayBeShipped(licence) {
  const plain = licence.replaceAll(/[()]/g, '');
  return plain.split(' OR ').some((part) => part.split(' AND ').every((one) => allowed.has(one)));
}

/** Older packages use another field, or only include the licence text. */
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
const installed = JSON.parse(readFileSync('node_modules/.package-lock.json', 'utf8')).packages;
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

const inUse = Object.entries(packages).filter(
  ([path, { dev }]) => path !== '' && (!dev || path in installed),
);
for (const [path] of inUse.filter(([, { integrity }]) => !integrity)) {
  console.error(`  ${path}: no hash in package-lock.json; install it from a registry that has it.`);
  faults.push(path);
}

/** What npm reports, or undefined. */
function askRegistry() {
  const { stdout } = spawnSync('npm', ['audit', '--omit=dev', '--json'], { encoding: 'utf8' });
  try {
    return JSON.parse(stdout);
  } catch {
    return undefined;
  }
}

const mode = process.env.DEPENDENCY_AUDIT || 'required';
if (!['required', 'if-offered', 'off'].includes(mode)) {
  console.error('DEPENDENCY_AUDIT must be required, if-offered or off.');
  process.exit(1);
}
const report = mode === 'off' ? undefined : askRegistry();
if (mode === 'off') {
  console.log('DEPENDENCY_AUDIT is off: known vulnerabilities are not checked.');
} else if (!report?.metadata) {
  const isOffered = ![404, 405, 501].includes(report?.statusCode);
  console.error(
    `The registry did not answer about vulnerabilities: ${report?.message ?? 'npm gave no reason'}.`,
  );
  if (mode === 'if-offered' && !isOffered) {
    console.error('It has no such service, and DEPENDENCY_AUDIT is if-offered: not checked.');
  } else {
    console.error(
      'Check the connection. For a mirror without this service set DEPENDENCY_AUDIT=if-offered, to work offline DEPENDENCY_AUDIT=off.',
    );
    faults.push('no answer');
  }
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
