import { describe, expect, it } from '@jest/globals';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { later } from '../support/closing.js';

/** Later than any that is released. */
const VERSION = '99.0.0';
const PORT = 41_560;
const LINKED = ['node_modules', '.config/linters/node_modules'];

const folder = mkdtempSync(join(tmpdir(), 'release-'));
later(() => Promise.resolve(rmSync(folder, { recursive: true, force: true })));

interface Ended {
  readonly code: number | null;
  readonly output: string;
}

function run(cwd: string, program: string, words: readonly string[], env = process.env): Ended {
  const { status, stdout, stderr } = spawnSync(program, words, { cwd, env, encoding: 'utf8' });
  return { code: status, output: stdout + stderr };
}

/** A clone of a folder's present commit on main, with the packages of this one. */
function cloneOf(source: string, name: string): string {
  const clone = join(folder, name);
  run('.', 'git', ['clone', '--quiet', source, clone]);
  run(clone, 'git', ['switch', '--quiet', '--force-create', 'main']);
  for (const [key, value] of [
    ['user.name', 'Ada Lovelace'],
    ['user.email', 'ada@example.com'],
  ] as const) {
    run(clone, 'git', ['config', key, value]);
  }
  for (const path of LINKED.filter((one) => existsSync(one))) {
    symlinkSync(resolve(path), join(clone, path));
    appendFileSync(join(clone, '.git/info/exclude'), `${path}\n`);
  }
  return clone;
}

const clone = cloneOf('.', 'one');
const release = (...words: string[]) =>
  run(clone, process.execPath, ['scripts/release.mjs', ...words]);
const git = (...words: string[]) => run(clone, 'git', words).output.trim();
/** What a release would change. */
const state = () => [git('rev-parse', 'HEAD'), git('status', '--porcelain'), git('tag')];
const passed = () => ['--ci-passed', git('rev-parse', 'HEAD')];

describe('a release', () => {
  const before = state();

  it.each([
    [[], 'Name the version'],
    [['1.0'], '"1.0" is not a version'],
    [['0.0.1'], '0.0.1 is before'],
    [['1.0.0', '2.0.0'], 'Name one version'],
    [[VERSION, '--force'], "Unknown option '--force'"],
    [[VERSION], 'CI is not known to have passed'],
    [[VERSION, '--ci-passed', 'a'.repeat(40)], 'CI passed for aaaaaaaaaaaa, not'],
  ])('with %j is refused, and changes nothing', (words, fault) => {
    const { code, output } = release(...words);
    expect([code, output]).toEqual([1, expect.stringContaining(fault)]);
    expect(state()).toEqual(before);
  });

  it.each([
    ['where files are not committed', 'touch new.txt', 'rm new.txt', 'new.txt'],
    ['on another branch', 'git switch -qc side', 'git switch -q main', 'this is side'],
    ['whose tag exists', `git tag v${VERSION}`, `git tag -d v${VERSION}`, `${VERSION} exists`],
    [
      'without entries in the changelog',
      'printf "# Changelog\\n" >CHANGELOG.md; git commit -qam empty',
      'git reset -q --hard HEAD^',
      'nothing under "## Unreleased"',
    ],
  ])('is refused %s', (_, make, unmake, fault) => {
    run(clone, 'sh', ['-c', make]);
    const made = state();
    const { code, output } = release(VERSION, ...passed());
    expect([code, output]).toEqual([1, expect.stringContaining(fault)]);
    expect(state()).toEqual(made);
    run(clone, 'sh', ['-c', unmake]);
  });

  it('is only described in a dry run, after CI has left the commit in the clone', () => {
    writeFileSync(join(clone, '.git/ci-passed'), `${git('rev-parse', 'HEAD')}\n`);
    const { code, output } = release(VERSION, '--dry-run');
    expect([code, output]).toEqual([0, expect.stringContaining('Nothing was changed.')]);
    for (const file of ['package.json', 'Dockerfile', 'deploy/kubernetes/service.yml']) {
      expect(output).toContain(`  ${file}\n`);
    }
    expect(git('status', '--porcelain')).toBe('');
    rmSync(join(clone, '.git/ci-passed'));
  });

  it('that would break clients leaves the files as they were', () => {
    const description = JSON.parse(readFileSync(join(clone, 'openapi.json'), 'utf8')) as {
      paths: Record<string, unknown>;
    };
    delete description.paths['/product-availability/order'];
    writeFileSync(join(clone, 'openapi.json'), JSON.stringify(description));
    git('commit', '-qam', 'fix: forget orders');
    const broken = state();
    const { code, output } = release(VERSION, ...passed());
    expect([code, output]).toEqual([1, expect.stringContaining('The files are as before.')]);
    expect(state()).toEqual(broken);
    git('reset', '-q', '--hard', 'HEAD^');
  });

  it('that stops after the commit is finished by the next run', () => {
    // A file is in the way of the archives.
    writeFileSync(join(clone, 'archives'), '');
    appendFileSync(join(clone, '.git/info/exclude'), 'archives\n');
    const first = release(VERSION, ...passed());
    expect([first.code, first.output]).toEqual([
      1,
      expect.stringContaining('Run the command again'),
    ]);
    expect(git('log', '-1', '--format=%s')).toBe(`chore(release): ${VERSION}`);
    expect(git('diff', 'HEAD^', '--', 'CHANGELOG.md')).toContain(`+## ${VERSION} - `);
    rmSync(join(clone, 'archives'));
    const second = release(VERSION);
    expect([second.code, second.output]).toEqual([
      0,
      expect.stringContaining(`${VERSION} is released`),
    ]);
    expect(git('rev-parse', `v${VERSION}^{commit}`)).toBe(git('rev-parse', 'HEAD'));
    expect(git('status', '--porcelain')).toBe('');
  });

  it('has the same bytes when another clone makes its archives', () => {
    const other = cloneOf(clone, 'another/deeper');
    const { code, output } = run(other, process.execPath, ['scripts/archives.mjs']);
    expect([code, output]).toEqual([0, expect.stringContaining('SHA256SUMS')]);
    const sums = (at: string) => readFileSync(join(at, `archives/${VERSION}/SHA256SUMS`), 'utf8');
    expect(sums(other)).toBe(sums(clone));
    expect(sums(clone).trim().split('\n')).toHaveLength(8);
  });
});

describe('the archive of a release', () => {
  const name = `product-availability-${VERSION}-linux-${process.arch}`;
  const ready = join(folder, name);
  /** Of a machine without a registry and settings. */
  const bare = {
    HOME: folder,
    npm_config_registry: 'http://127.0.0.1:9',
    PORT: String(PORT),
    OPS_PORT: 'off',
  };

  it('takes a newcomer to a first order, which outlives a restart', async () => {
    const archives = join(clone, 'archives', VERSION);
    const node = join(folder, 'node');
    mkdirSync(node);
    symlinkSync(process.execPath, join(node, 'node'));
    const environment = { ...bare, PATH: `${node}:/usr/bin:/bin` };
    const sh = (script: string) => {
      const ended = run(ready, 'bash', ['-euc', script], environment);
      if (ended.code !== 0) throw new Error(`${script}\n${ended.output}`);
      return ended.output;
    };
    expect(run(archives, 'sha256sum', ['--check', 'SHA256SUMS']).code).toBe(0);
    run(folder, 'tar', ['-xzf', join(archives, `${name}.tar.gz`)]);
    const readme = readFileSync(join(ready, 'README.md'), 'utf8');
    for (const [, link] of readme.matchAll(/\]\(([^)#]+)/g)) {
      expect([link, existsSync(join(ready, link!))]).toEqual([link, true]);
    }
    const [fill = '', start = '', order = ''] = [...readme.matchAll(/^```sh\n([^]*?)^```$/gm)].map(
      ([, script]) => script!.replaceAll(':3000', `:${PORT}`),
    );
    expect(start).toBe('node dist/src/main.js\n');
    const [token] = /pas_live_\w+/.exec(sh(`${fill}echo "$TOKEN"`))!;

    const serving = async () => {
      const service = spawn('node', ['dist/src/main.js'], {
        cwd: ready,
        env: { ...environment, SQLITE_FILE: join(ready, 'data/availability.sqlite') },
      });
      later(() => Promise.resolve(service.kill('SIGKILL')));
      let said = '';
      for await (const text of service.stdout.setEncoding('utf8')) {
        said += String(text);
        if (said.includes('Listening on')) break;
      }
      expect(said).toContain(`Version ${VERSION} on Node.js`);
      return service;
    };
    const first = await serving();
    const [orderId] = /(?<="orderId":")[^"]+/.exec(sh(`TOKEN=${token}\n${order}`))!;
    first.kill('SIGTERM');
    await once(first, 'exit');
    await serving();
    const address = `http://localhost:${PORT}/product-availability/order/${orderId}`;
    expect(sh(`curl -s -H "Authorization: Bearer ${token}" ${address}`)).toContain('PO-4711');
    expect(sh(`curl -s http://localhost:${PORT}/health/live`)).toContain(`"${VERSION}"`);
    for (const page of ['docs', 'docs/packages', 'docs/examples.md', 'staff']) {
      const code = sh(`curl -sL -o /dev/null -w '%{http_code}' http://localhost:${PORT}/${page}`);
      expect([page, code]).toEqual([page, '200']);
    }
  });

  it('needs no file outside of it', () => {
    const listed = run(folder, 'tar', [
      '-tzf',
      join(clone, 'archives', VERSION, `${name}.tar.gz`),
    ]).output.split('\n');
    expect(listed.filter((path) => path !== '' && !path.startsWith(`${name}/`))).toEqual([]);
    const here = spawnSync('grep', ['-rlF', dirname(clone), ready], { encoding: 'utf8' }).stdout;
    expect(here.split('\n').filter((path) => path !== '' && !path.includes('/data/'))).toEqual([]);
  });
});
