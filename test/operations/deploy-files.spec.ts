import { describe, expect, it } from '@jest/globals';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';
import { settings } from '../../src/config/settings.js';

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

describe('The systemd files', () => {
  it('run programs that exist and can be executed', () => {
    for (const script of ['availability-cli', 'backup-postgres']) {
      expect(statSync(join('deploy/systemd', script)).mode & 0o111).toBe(0o111);
    }
    const unit = read('deploy/systemd/product-availability-backup.service.d/postgres.conf');
    expect(unit).toContain('/opt/product-availability/deploy/systemd/backup-postgres ');
  });
});
