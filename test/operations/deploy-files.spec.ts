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
  readonly env: readonly { readonly name: string }[];
  readonly ports?: readonly { readonly name: string }[];
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
    readonly ports?: readonly { readonly targetPort: string }[];
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
  const deployment = manifests.find(({ kind }) => kind === 'Deployment')!;
  const template = deployment.spec!.template!;
  const labels = template.metadata!.labels;

  it('select the pods of the deployment', () => {
    const selectors = manifests.flatMap(({ spec }) => {
      const { selector, podSelector } = spec ?? {};
      return [selector?.matchLabels ?? selector, podSelector?.matchLabels].filter(Boolean);
    });
    expect(selectors.length).toBeGreaterThanOrEqual(4);
    for (const selector of selectors) expect(labels).toMatchObject(selector as object);
  });

  it('name settings, ports, volumes and accounts that exist', () => {
    for (const { spec } of manifests) {
      const pod = spec?.template?.spec;
      for (const { env, volumeMounts = [] } of pod?.containers ?? []) {
        expect(env.map(({ name }) => name).filter((name) => !known.has(name))).toEqual([]);
        const volumes = pod?.volumes?.map(({ name }) => name);
        expect(volumes).toEqual(expect.arrayContaining(volumeMounts.map(({ name }) => name)));
      }
    }
    const ports = template.spec.containers[0]!.ports!.map(({ name }) => name);
    const service = manifests.find(({ kind }) => kind === 'Service')!;
    for (const { targetPort } of service.spec!.ports!) expect(ports).toContain(targetPort);
    const accounts = manifests.filter(({ kind }) => kind === 'ServiceAccount');
    expect(accounts.map(({ metadata }) => metadata.name)).toEqual([
      template.spec.serviceAccountName,
    ]);
    const scaler = manifests.find(({ kind }) => kind === 'HorizontalPodAutoscaler')!;
    expect(scaler.spec!.scaleTargetRef).toMatchObject({
      kind: 'Deployment',
      name: deployment.metadata.name,
    });
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
