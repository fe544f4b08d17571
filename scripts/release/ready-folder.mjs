// The folder that runs without npm: compiled, with the packages of production for one kind of machine.
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createHash } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { committedFiles, output } from './commands.mjs';

/** What /docs serves, the demo, what systemd and others need, and what a reader looks for. */
const COMMITTED = [
  ...['docs', 'examples', 'demo', 'deploy', 'openapi.json', 'openapi-staff.json'],
  ...['CHANGELOG.md', 'LICENSE', 'SECURITY.md'],
];
const COMPILED = ['dist/src', 'dist/demo', 'dist/packages'];
/** ELF's numbers of processors, by the name that Node.js and npm have for them. */
const MACHINES = { x64: 62, arm64: 183 };
/** Packages whose program is a binary. */
const NATIVE = ['better-sqlite3', '@node-rs/argon2'];

/**
 * Whether the service never reads a file of a package: types, maps, sources of binaries and programs of other
 * machines. TypeScript is there only because the plugin of @nestjs/swagger may use it in a build.
 */
export function isSpare(path, arch) {
  const [, name, rest] = /^node_modules\/((?:@[^/]+\/)?[^/]+)\/(.*)$/.exec(path) ?? [];
  if (name === undefined || name.startsWith('.') || name === 'typescript') return true;
  if (/\.(?:map|[cm]?tsx?|tsbuildinfo)$/.test(path)) return true;
  if (name !== 'better-sqlite3') return false;
  if (rest.startsWith('prebuilds/')) return rest !== `prebuilds/linux-${arch}.node`;
  return /^(?:deps|src)\/|^binding\.gyp$/.test(rest);
}

/** The manifest of the folder: the packages, and the scripts that need neither sources nor a build. */
export function readyManifest(manifest) {
  const { scripts, overrides, ...rest } = manifest;
  delete rest.devDependencies;
  delete rest.prettier;
  return {
    ...rest,
    scripts: {
      start: scripts.start,
      demo: scripts.demo.replace(/^.*&& /, ''),
      cli: scripts.cli,
      migrate: scripts.migrate,
    },
    overrides: { typeorm: overrides.typeorm },
  };
}

/** Without what differs from run to run: the time, the random number, and the version of npm. */
export function repeatableBill(text, when) {
  const bill = JSON.parse(text);
  delete bill.serialNumber;
  delete bill.metadata.tools;
  bill.metadata.timestamp = new Date(when * 1_000).toISOString();
  bill.metadata.component.name = 'product-availability-service';
  const plain = JSON.stringify(bill);
  const hash = createHash('sha256').update(plain).digest('hex');
  const uuid = hash.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, '$1-$2-5$3-8$4-$5');
  return `${JSON.stringify({ ...bill, serialNumber: `urn:uuid:${uuid}` }, null, 2)}\n`;
}

/** Why the binary is not one for this processor, if so. */
export function binaryFault(bytes, arch) {
  if (bytes.readUInt32BE(0) !== 0x7f454c46) return 'is not a program for Linux';
  return bytes.readUInt16LE(18) === MACHINES[arch]
    ? undefined
    : `is for another processor than ${arch}`;
}

function filesIn(folder, root = '') {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(root === '' ? 0 : root.length + 1));
}

/** The packages of production for Linux with this processor, as npm installs them by the lock. */
function installed(folder, arch) {
  for (const name of ['package.json', 'package-lock.json', '.npmrc']) {
    writeFileSync(join(folder, name), readFileSync(name));
  }
  // npm takes settings of the caller, such as `omit` or `registry`; of another machine it takes the named one.
  output(
    'npm',
    [
      'ci',
      '--omit=dev',
      '--ignore-scripts',
      '--prefer-offline',
      '--os=linux',
      `--cpu=${arch}`,
      '--libc=glibc',
    ],
    { cwd: folder },
  );
}

/** @throws where a package has no binary for this processor */
function checkBinaries(files, arch) {
  const binaries = files.filter(([path]) => path.endsWith('.node'));
  for (const [path, bytes] of binaries) {
    const fault = binaryFault(bytes, arch);
    if (fault) throw new Error(`${path} ${fault}`);
  }
  const missing = NATIVE.filter((name) => !binaries.some(([path]) => path.includes(`/${name}`)));
  if (missing.length > 0)
    throw new Error(`${missing.join(' and ')}: npm has no binary for linux-${arch}`);
}

/**
 * The files of the folder, as `tar` takes them, and its bill of materials.
 * @param when seconds since the epoch
 * @throws where npm does not have what this kind of machine needs
 */
export function readyFolder(arch, when) {
  const folder = mkdtempSync(join(tmpdir(), 'ready-'));
  try {
    installed(folder, arch);
    const manifest = JSON.stringify(
      readyManifest(JSON.parse(readFileSync('package.json'))),
      null,
      2,
    );
    writeFileSync(join(folder, 'package.json'), manifest);
    const bill = repeatableBill(
      output('npm', ['sbom', '--sbom-format=cyclonedx'], { cwd: folder }),
      when,
    );
    const packages = filesIn('node_modules', folder)
      .filter((path) => !isSpare(path, arch))
      .map((path) => {
        const isProgram = (statSync(join(folder, path)).mode & 0o100) !== 0;
        return [path, readFileSync(join(folder, path)), isProgram ? 0o755 : 0o644];
      });
    checkBinaries(packages, arch);
    const compiled = COMPILED.flatMap((path) => filesIn(path))
      .filter((path) => !/\.map$|\.spec\.js$|\/\./.test(path))
      .map((path) => [path, readFileSync(path)]);
    const committed = committedFiles(...COMMITTED).map(({ path, mode }) => [
      path,
      readFileSync(path),
      mode,
    ]);
    const files = [
      ['README.md', readFileSync('deploy/archive/README.md')],
      ['package.json', `${manifest}\n`],
      ['sbom.json', bill],
      ...packages,
      ...compiled,
      ...committed.filter(
        ([path]) => !path.startsWith('deploy/archive/') && !/^demo\/.*\.ts$/.test(path),
      ),
    ];
    return { files, bill };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export function isBuilt() {
  return COMPILED.every((path) => existsSync(path));
}
