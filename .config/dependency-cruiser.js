/**
 * The folders of src, lowest first: a folder imports only folders above it in this list. The
 * platform comes first, then the features. No folder has an exception; test/architecture.spec.ts proves that
 * imports between folders are acyclic.
 */
const folders = [
  'platform/kernel',
  'platform/problems',
  'platform/tables',
  'platform/access',
  'platform/config',
  'platform/database',
  'platform/http',
  'platform/limits',
  'platform/retention',
  'platform/audit',
  'platform/notifications',
  'platform/ui',
  'platform/openapi',
  'staff',
  'clients',
  'near-net',
  'catalogue',
  'coverage-sync',
  'availability',
  'watches',
  'orders',
  'quotes',
  'telephone',
  'queue',
  'reports',
  'administration',
  'ops',
  'documentation',
];

/** Files that need no framework to be understood or tested. */
const pure = [
  '^src/platform/kernel/(?!clock)',
  '^src/catalogue/content/',
  '^src/coverage-sync/coverage-(rows|file)\\.ts$',
  '^src/near-net/.*(?<!x)$',
  '^src/platform/config/addresses\\.ts$',
  '^src/orders/(record/(public-state|order-states|search-words)|moves/move-rules)\\.ts$',
  '^src/platform/database/engine/errors\\.ts$',
  '^src/reports/drawing/(chart-scale|period)\\.ts$',
  '^src/reports/map/map-places\\.ts$',
  '^src/reports/sector-places\\.ts$',
  '^src/platform/kernel/time-words\\.ts$',
  '^src/staff/(sessions/session-cookie|sign-in/password-rules)\\.ts$',
  '^src/watches/watch-(condition|rows)\\.ts$',
  '^src/quotes/record/(quote|choose-offer|contract-value)\\.ts$',
  '^src/clients/(token-format)\\.ts$',
  '^src/catalogue/sandbox/sandbox-catalogue\\.ts$',
  '^src/documentation/(layout|library|markdown|request-samples|search)\\.ts$',
  '^src/platform/notifications/(messages/(backoff|email|order-event)|signing)\\.ts$',
];

export default {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'no-orphans',
      severity: 'error',
      from: {
        orphan: true,
        pathNot: [
          '^src/main\\.ts$',
          '^src/cli/',
          '^demo/main\\.ts$',
          '^src/(platform/ui|documentation)/browser/',
          '^test/support/pages-teardown',
          '\\.(e2e-)?spec\\.tsx?$',
        ],
      },
      to: {},
    },
    ...folders.map((folder, level) => ({
      name: `${folder.replace('/', '-')}-imports-downwards`,
      severity: 'error',
      from: { path: `^src/${folder}/` },
      to: { path: '^src/', pathNot: `^src/(${folders.slice(0, level + 1).join('|')})/` },
    })),
    {
      name: 'openapi-is-imported-by-the-app-only',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/(platform/openapi/|cli/|app\\.ts$)' },
      to: { path: '^src/platform/openapi/', pathNot: '/static-page\\.ts$' },
    },
    {
      name: 'controllers-know-no-database',
      severity: 'error',
      from: { path: '\\.controller\\.ts$' },
      to: { path: 'node_modules/typeorm' },
    },
    {
      name: 'pure-files-know-no-framework',
      severity: 'error',
      from: { path: pure },
      to: { path: 'node_modules/(@nestjs|typeorm|express)' },
    },
    {
      name: 'not-to-dev-dependencies',
      severity: 'error',
      from: { path: '^src/', pathNot: '\\.spec\\.tsx?$' },
      to: { dependencyTypes: ['npm-dev'], pathNot: 'node_modules/@types/' },
    },
    {
      name: 'not-to-tests',
      severity: 'error',
      from: { path: '^src/', pathNot: '\\.spec\\.tsx?$' },
      to: { path: '^(test|bench|demo)/|\\.spec\\.tsx?$' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'types', 'default'],
    },
  },
};
