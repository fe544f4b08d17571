import { describe, expect, it } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';
import { settings } from '../../src/platform/config/settings.js';
import { SLOW_ANSWER } from '../../src/platform/kernel/sandbox-postcodes.js';
import { memorySettings } from '../support/memory-settings.js';
import { nodeOptions } from '../support/processes.js';

/** What can be checked of the files in deploy/ without other programs; .ci/run has the rest. */
const read = (path: string) => readFileSync(path, 'utf8');
const known = new Set(Object.values(settings).flatMap(({ name }) => [name, `${name}_FILE`]));

interface Rule {
  readonly alert: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string; readonly runbook_url: string };
}

describe('The alerts', () => {
  const { groups } = parse(read('deploy/prometheus/alerts.yml')) as {
    groups: { rules: Rule[] }[];
  };
  const rules = groups.flatMap((group) => group.rules);

  it.each(rules)('$alert has a section in the runbook', ({ alert, labels, annotations }) => {
    expect(['page', 'ticket', 'info']).toContain(labels.severity);
    expect(annotations.runbook_url).toMatch(new RegExp(`runbook\\.md#${alert.toLowerCase()}$`));
    expect(read('docs/operate/runbook.md')).toMatch(new RegExp(`^### ${alert}$`, 'm'));
  });
});

interface Container {
  readonly env?: readonly { readonly name: string }[];
  readonly ports?: readonly { readonly name: string; readonly containerPort: number }[];
  readonly volumeMounts?: readonly { readonly name: string }[];
}
interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec?: {
    readonly selector?: { readonly matchLabels?: Record<string, string> } & Record<string, unknown>;
    readonly podSelector?: { readonly matchLabels: Record<string, string> };
    readonly template?: {
      readonly metadata?: { readonly labels: Record<string, string> };
      readonly spec: {
        readonly containers: readonly Container[];
        readonly volumes?: readonly { readonly name: string }[];
        readonly serviceAccountName?: string;
      };
    };
    readonly ports?: readonly { readonly port: number; readonly targetPort?: string }[];
    readonly scaleTargetRef?: { readonly kind: string; readonly name: string };
  };
}

describe('The Kubernetes manifests', () => {
  const manifests = readdirSync('deploy/kubernetes').flatMap((file) =>
    parseAllDocuments(read(join('deploy/kubernetes', file))).map((document) => {
      expect(document.errors).toEqual([]);
      return document.toJS() as Manifest;
    }),
  );
  const deployments = manifests.filter(({ kind }) => kind === 'Deployment');
  const templates = deployments.map(({ spec }) => spec!.template!);
  const ofPods = manifests.flatMap(({ spec }) => {
    const { selector, podSelector } = spec ?? {};
    return [selector?.matchLabels ?? selector, podSelector?.matchLabels].filter(Boolean);
  });

  it('select the pods of a deployment', () => {
    const apps = templates.map(({ metadata }) => metadata!.labels.app);
    expect(apps.sort()).toEqual(['product-availability', 'product-availability-balancer']);
    expect(ofPods.length).toBeGreaterThanOrEqual(7);
    for (const { app } of ofPods as { app: string }[]) expect(apps).toContain(app);
  });

  it('name settings, ports, volumes and accounts that exist', () => {
    for (const { spec } of manifests) {
      const pod = spec?.template?.spec;
      for (const { env = [], volumeMounts = [] } of pod?.containers ?? []) {
        expect(env.map(({ name }) => name).filter((name) => !known.has(name))).toEqual([]);
        const volumes = pod?.volumes?.map(({ name }) => name);
        expect(volumes).toEqual(expect.arrayContaining(volumeMounts.map(({ name }) => name)));
      }
    }
    for (const { spec } of manifests.filter(({ kind }) => kind === 'Service')) {
      const { app } = spec!.selector as { app: string };
      const template = templates.find(({ metadata }) => metadata!.labels.app === app)!;
      const ports = template.spec.containers.flatMap(({ ports = [] }) => ports);
      for (const { port, targetPort = port } of spec!.ports!) {
        expect(ports.flatMap((own) => [own.name, own.containerPort])).toContain(targetPort);
      }
    }
    const accounts = manifests.filter(({ kind }) => kind === 'ServiceAccount');
    const used = templates.flatMap(({ spec }) => spec.serviceAccountName ?? []);
    expect(accounts.map(({ metadata }) => metadata.name)).toEqual(used);
    const scaler = manifests.find(({ kind }) => kind === 'HorizontalPodAutoscaler')!;
    expect(deployments.map(({ metadata }) => metadata.name)).toContain(
      scaler.spec!.scaleTargetRef!.name,
    );
  });
});

describe('The balancers', () => {
  const rules = (file: string) => {
    const backends = read(file)
      .split(/^ *backend /m)
      .slice(1);
    return backends.map((text) =>
      [...text.matchAll(/^ *((?:acl|http-request|retries|retry-on) .*)$/gm)].map(
        ([, rule]) => rule,
      ),
    );
  };
  const [first, ...others] = [
    ...[
      'deploy/haproxy/haproxy.cfg',
      'deploy/docker/haproxy.cfg',
      'deploy/kubernetes/balancer.yml',
    ],
  ].map(rules) as [string[][], ...string[][][]];

  it('treat requests alike', () => {
    expect(first.slice(0, 2).map(({ length }) => length)).toEqual([5, 17]);
    for (const other of others) expect(other.slice(0, 2)).toEqual(first.slice(0, 2));
  });

  it('repeat what a client sends with a key only where the service keeps the key', () => {
    const { paths } = JSON.parse(read('openapi.json')) as {
      paths: Record<string, { post?: { parameters?: { name?: string }[] } }>;
    };
    const posts = Object.entries(paths).flatMap(([path, { post }]) =>
      post ? { path, keeps: post.parameters?.some(({ name }) => name === 'Idempotency-Key') } : [],
    );
    const kept = posts.filter(({ keeps }) => keeps).map(({ path }) => path);
    expect(kept.length).toBeGreaterThanOrEqual(5);
    const [pattern] = first
      .flat()
      .flatMap((rule) => /^acl keeps_key path_reg (.*)/.exec(rule)?.[1] ?? []);
    const repeated = posts.filter(({ path }) =>
      new RegExp(pattern!).test(path.replaceAll(/\{\w+\}/g, 'x')),
    );
    // This accepts an offer once, also without a key.
    const once = '/product-availability/enquiry/{enquiryId}/acceptance';
    expect(repeated.map(({ path }) => path).sort()).toEqual([...kept, once].sort());
  });

  it('wait for the slow postcode of the sandbox', () => {
    const waits = first
      .flat()
      .flatMap((rule) => /set-timeout server (\d+)ms/.exec(rule)?.[1] ?? []);
    expect(waits).toEqual(['1400', '1400']);
    for (const wait of waits) expect(SLOW_ANSWER).toBeLessThanOrEqual(Number(wait) - 400);
  });
});

describe('The check of the version of Patroni', () => {
  const verdict = (words: string) => {
    const folder = mkdtempSync(join(tmpdir(), 'patroni-'));
    try {
      writeFileSync(join(folder, 'patroni'), `#!/bin/sh\necho "${words}"\n`, { mode: 0o755 });
      const env = { ...process.env, PATH: `${folder}:${process.env.PATH}` };
      const { status, stderr } = spawnSync('sh', ['deploy/patroni/check-version'], { env });
      return [status, /this is (\S+)\./.exec(stderr.toString())?.[1]];
    } finally {
      rmSync(folder, { recursive: true });
    }
  };

  it.each([
    ['patroni 3.0.2', 1, '3.0.2'],
    ['patroni 3.0.3', 0, undefined],
    ['patroni 4.0.7', 0, undefined],
    ['patroni 4.1.0~rc1', 0, undefined],
    ['patroni 10.0', 0, undefined],
    ['patroni', 1, 'unknown'],
    ['', 1, 'unknown'],
    ['unknown option', 1, 'unknown'],
    ['patroni version 4', 1, 'unknown'],
  ])('of "%s" ends with %i', (words, status, version) => {
    expect(verdict(words)).toEqual([status, version]);
  });
});

describe('The compose file', () => {
  interface ComposeService {
    readonly environment?: Readonly<Record<string, string>>;
    readonly secrets?: readonly string[];
    readonly volumes?: readonly string[];
    readonly mem_limit?: string;
  }
  const compose = parse(read('deploy/docker/compose.yml')) as {
    readonly services: Readonly<Record<string, ComposeService>>;
    readonly volumes: object;
    readonly secrets: object;
  };

  it('names settings, secrets, volumes and files that exist, and bounds the memory', () => {
    const { environment = {} } = compose.services.service!;
    expect(Object.keys(environment).filter((name) => !known.has(name))).toEqual([]);
    for (const { mem_limit, secrets = [], volumes = [] } of Object.values(compose.services)) {
      expect(mem_limit).toMatch(/^\d+[mg]$/);
      for (const secret of secrets) expect(compose.secrets).toHaveProperty(secret);
      for (const volume of volumes) {
        const [source] = volume.split(':') as [string];
        if (source.startsWith('.'))
          expect(statSync(join('deploy/docker', source)).isFile()).toBe(true);
        else expect(compose.volumes).toHaveProperty(source);
      }
    }
  });
});

it('The image and what runs it name the version of the service', () => {
  const files = ['docker/compose.yml', 'kubernetes/migrate.yml', 'kubernetes/service.yml'];
  const { version } = JSON.parse(read('package.json')) as { version: string };
  for (const file of files) {
    const named = read(`deploy/${file}`).match(/(?<=image: product-availability:)\S+/g);
    expect([file, named]).toEqual([file, [version]]);
  }
  expect(read('Dockerfile').match(/(?<=^ARG VERSION=).+/gm)).toEqual([version, version]);
});

describe('The systemd files', () => {
  it('save memory as the image does', () => {
    const unit = memorySettings('deploy/systemd/product-availability.service');
    expect(Object.keys(unit).sort()).toEqual([
      ...['MALLOC_ARENA_MAX', 'MALLOC_MMAP_THRESHOLD_', 'MALLOC_TRIM_THRESHOLD_', 'NODE_OPTIONS'],
    ]);
    expect(memorySettings('Dockerfile')).toEqual(unit);
    const { status, stderr } = spawnSync(process.execPath, ['-e', ''], { env: unit });
    expect([status, stderr.toString()]).toEqual([0, '']);
  });

  it.each([
    'Dockerfile',
    'deploy/kubernetes/migrate.yml',
    ...['availability-cli', 'backup-postgres'].map((file) => `deploy/systemd/${file}`),
    ...['', '-backup'].map((part) => `deploy/systemd/product-availability${part}.service`),
  ])('%s starts Node with the options of npm start', (file) => {
    for (const option of nodeOptions) expect(read(file)).toContain(option);
    expect(nodeOptions).toHaveLength(2);
  });

  it('run programs that exist and can be executed', () => {
    for (const script of ['availability-cli', 'backup-postgres']) {
      expect(statSync(join('deploy/systemd', script)).mode & 0o111).toBe(0o111);
    }
    const unit = read('deploy/systemd/product-availability-backup.service.d/postgres.conf');
    expect(unit).toContain('/opt/product-availability/deploy/systemd/backup-postgres ');
  });
});

/**
 * The documented keys of Patroni 3, by section; of PostgreSQL's parameters, those of replication and TLS.
 * Patroni ignores a key that it does not know: a misspelt `watchdog` is a cluster without one.
 */
const tls = 'cacert cert key';
const login =
  'username password sslmode sslkey sslpassword sslcert sslrootcert sslcrl sslcrldir gssencmode channel_binding';
const patroniKeys: Readonly<Record<string, string>> = {
  '': 'name namespace scope log bootstrap etcd3 postgresql restapi ctl watchdog tags',
  '.restapi':
    'listen connect_address authentication certfile keyfile keyfile_password cafile ciphers verify_client allowlist allowlist_include_members http_extra_headers https_extra_headers',
  '.etcd3': `host hosts use_proxies url proxy srv srv_suffix protocol username password ${tls}`,
  '.watchdog': 'mode device safety_margin',
  '.tags': 'nofailover clonefrom noloadbalance replicatefrom nosync',
  '.bootstrap': 'dcs method initdb pg_hba users post_bootstrap',
  '.bootstrap.initdb': 'encoding locale data-checksums',
  '.bootstrap.dcs':
    'loop_wait ttl retry_timeout maximum_lag_on_failover maximum_lag_on_syncnode max_timelines_history primary_start_timeout primary_stop_timeout synchronous_mode synchronous_mode_strict synchronous_node_count failsafe_mode postgresql standby_cluster slots ignore_slots',
  '.bootstrap.dcs.postgresql': 'use_pg_rewind use_slots recovery_conf parameters pg_hba pg_ident',
  '.bootstrap.dcs.postgresql.parameters':
    'wal_level hot_standby hot_standby_feedback max_connections max_wal_senders max_replication_slots wal_keep_size wal_log_hints synchronous_commit ssl ssl_ca_file ssl_cert_file ssl_key_file ssl_min_protocol_version',
  '.postgresql':
    'authentication callbacks connect_address proxy_address create_replica_methods data_dir config_dir bin_dir listen use_unix_socket use_unix_socket_repl pgpass recovery_conf custom_conf parameters pg_hba pg_ident pg_ctl_timeout use_pg_rewind remove_data_directory_on_rewind_failure remove_data_directory_on_diverged_timelines replica_method pre_promote',
  '.postgresql.authentication': 'superuser replication rewind',
  '.postgresql.authentication.superuser': login,
  '.postgresql.authentication.replication': login,
  '.postgresql.authentication.rewind': login,
};

function unknownKeys(value: unknown, section = ''): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((item) => unknownKeys(item, section));
  if (typeof value !== 'object' || value === null) return [];
  const known = patroniKeys[section]?.split(' ') ?? [];
  return Object.entries(value).flatMap(([key, inner]) => {
    const path = `${section}.${key}`;
    return known.includes(key) ? unknownKeys(inner, path) : [path];
  });
}

describe('backup-postgres', () => {
  const database = 'db.example:5432/availability';
  const password = 'p%40%20ss:w';

  it.each([
    [`availability:${password}@${database}?sslmode=require`, '?sslmode=require'],
    [`availability@${database}?password=${password}`, ''],
    [`availability@${database}?password=${password}&sslmode=require`, '?sslmode=require'],
    [`availability:x@${database}?sslmode=require&password=${password}`, '?sslmode=require'],
    [`availability@${database}?a=b&password=${password}&sslmode=require`, '?a=b&sslmode=require'],
  ])(
    'makes a dump of %s that only its owner reads, without its password in an argument',
    (url, rest) => {
      const folder = mkdtempSync(join(tmpdir(), 'dump-'));
      const program = (name: string, text: string) =>
        writeFileSync(join(folder, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
      program(
        'pg_dump',
        'for word; do case $word in --file=*) printf "%s\\n" "$@" "$PGPASSWORD" >"${word#--file=}" ;; esac; done',
      );
      program('pg_restore', 'exit 0');
      program('node', `case $1 in -p) exec ${process.execPath} "$@" ;; esac`);
      const dumps = join(folder, 'dumps');
      mkdirSync(dumps);
      writeFileSync(join(folder, 'url'), `postgres://${url}\n`);
      const env = { PATH: `${folder}:${process.env.PATH}`, DATABASE_URL_FILE: join(folder, 'url') };
      const script = 'umask 022; exec deploy/systemd/backup-postgres "$0" 2';
      const { status, stderr } = spawnSync('sh', ['-c', script, dumps], { env });
      expect([status, stderr.toString()]).toEqual([0, '']);
      const written = readdirSync(dumps).map((name) => join(dumps, name));
      const modes = written.map((file) => statSync(file).mode & 0o777);
      const words = written.flatMap((file) => read(file).split('\n'));
      rmSync(folder, { recursive: true });
      expect(modes).toEqual([0o600]);
      expect(words.slice(2)).toEqual([
        ...[`postgres://availability@${database}${rest}`, 'p@ ss:w', ''],
      ]);
    },
  );
});

describe('availability-cli', () => {
  it('runs in several terminals at a time, and from folders that the service cannot enter', () => {
    const folder = mkdtempSync(join(tmpdir(), 'cli-'));
    const program = (name: string, text: string) =>
      writeFileSync(join(folder, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
    program('id', 'echo 0');
    program('systemd-run', 'printf "%s\\n" "$@"');
    const env = { PATH: `${folder}:${process.env.PATH}` };
    const [one, two] = [1, 2].map(() => {
      const { stdout } = spawnSync('deploy/systemd/availability-cli', ['catalogue', 'list'], {
        env,
      });
      return stdout.toString().split('\n');
    }) as [string[], string[]];
    rmSync(folder, { recursive: true });
    const unitOf = (words: string[]) => words.find((word) => word.startsWith('--unit='));
    expect(unitOf(one)).toMatch(/^--unit=availability-cli-\d+$/);
    expect(unitOf(two)).not.toBe(unitOf(one));
    // As the unit of the service.
    expect(one).toContain('--setenv=NODE_ENV=production');
    // With `-`, systemd starts the command in / where it cannot enter the folder.
    expect(one).toContain(`--property=WorkingDirectory=-${process.cwd()}`);
  });
});

describe('The check of the version of Patroni', () => {
  const start = (answer: string) => {
    const folder = mkdtempSync(join(tmpdir(), 'patroni-'));
    writeFileSync(join(folder, 'patroni'), `#!/bin/sh\n${answer}\n`, { mode: 0o755 });
    const PATH = `${folder}:${process.env.PATH}`;
    const { status, stderr } = spawnSync('deploy/patroni/check-version', { env: { PATH } });
    rmSync(folder, { recursive: true });
    return [status, stderr.toString()] as const;
  };

  it.each(['3.0.3', '3.3.0', '3.10.1', '4.0.7'])('lets %s start', (version) => {
    expect(start(`echo patroni ${version}`)).toEqual([0, '']);
  });

  it.each([
    ['3.0.2', 'echo patroni 3.0.2'],
    ['2.1.9', 'echo patroni 2.1.9'],
    ['unknown', 'exit 1'],
  ])('refuses %s', (version, answer) => {
    const [status, words] = start(answer);
    expect(status).toBe(1);
    expect(words).toMatch(/^Patroni 3\.0\.3 or later is required; this is /);
    expect(words).toContain(`this is ${version}.`);
  });
});

describe('The configuration of Patroni', () => {
  const text = read('deploy/patroni/patroni.yml').replaceAll(/^ *#.*\n/gm, '');
  const keys = [...text.matchAll(/[\w-]+(?=:(?: |\n))/g)];

  it('has only keys that Patroni knows', () => {
    expect(unknownKeys(parse(text))).toEqual([]);
    expect(keys.length).toBeGreaterThan(50);
  });

  it.each(keys.map(({ 0: key, index }) => [key, index] as const))(
    'has a misspelt %s noticed',
    (key, index) => {
      const misspelt = `${text.slice(0, index)}x${text.slice(index)}`;
      expect(unknownKeys(parse(misspelt))).toEqual([expect.stringMatching(`\\.x${key}$`)]);
    },
  );
});
