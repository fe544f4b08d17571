/**
 * Who may import whom. Features know each other in one direction only; see the map of the house in
 * README.md.
 */
const features = {
  audit: [],
  notifications: ['audit'],
  staff: ['audit', 'notifications'],
  clients: ['staff', 'audit', 'notifications'],
  catalogue: ['clients', 'audit', 'notifications'],
  sandbox: ['catalogue'],
  availability: ['catalogue', 'sandbox'],
  orders: ['sandbox', 'availability', 'catalogue', 'clients', 'staff', 'audit', 'notifications'],
  'follow-up': [
    'orders',
    'availability',
    'catalogue',
    'clients',
    'staff',
    'audit',
    'notifications',
  ],
  pages: [
    'follow-up',
    'orders',
    'availability',
    'staff',
    'clients',
    'catalogue',
    'audit',
    'notifications',
  ],
  retention: ['orders', 'availability', 'staff', 'audit', 'notifications'],
  ops: ['availability', 'catalogue'],
  documentation: [],
};

/** Files that need no framework to be understood or tested. */
const pure = [
  '^src/pages/(area-tiles|chart-scale|map-measures|period|places|times)\\.ts$',
  '^src/ops/(histogram|pretty-line|redact)\\.ts$',
  '^src/common/(network-of|otlp|postcode|crockford|database-outage|mail-address|sealed-text|working-hours|bank-holidays|search-words|sandbox-postcodes|text-rules|traceparent)\\.ts$',
  '^src/catalogue/(catalogue|catalogue-cells|catalogue-diff|catalogue-diff-print|catalogue-files|catalogue-lint|catalogue-print|coverage-codec|coverage-index|csv|csv-table|explain|guard-rails|money|postcode-register)\\.ts$',
  '^src/staff/(member-rules|password-rules|session-cookie|sign-in-delay)\\.ts$',
  '^src/clients/(client-rules|token-format|token-stages)\\.ts$',
  '^src/sandbox/sandbox-catalogue\\.ts$',
  '^src/documentation/(layout|library|markdown|problem-text|reference)\\.ts$',
  '^src/notifications/(addresses|backoff|delivery-failed|letter|letters|reminder-times|signing|smtp-options|webhook-request)\\.ts$',
  '^src/orders/(idempotency|public-state|order-state|order-states|test-moves)\\.ts$',
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
          '^src/pages/browser/',
          '^test/support/pages-teardown',
          '\\.(e2e-)?spec\\.tsx?$',
        ],
      },
      to: {},
    },
    {
      name: 'common-uses-nobody',
      severity: 'error',
      from: { path: '^src/common/' },
      to: { path: '^src/(?!common/)' },
    },
    {
      name: 'database-uses-only-common',
      severity: 'error',
      from: { path: '^src/database/', pathNot: '^src/database/database\\.module\\.ts$' },
      to: { path: '^src/(?!common/|database/|config\\.ts)' },
    },
    ...Object.entries(features).map(([feature, allowed]) => ({
      name: `${feature}-imports`,
      comment: `${feature} may import ${allowed.join(', ') || 'no other feature'}.`,
      severity: 'error',
      from: { path: `^src/${feature}/` },
      to: {
        path: '^src/',
        pathNot: `^src/(${[feature, ...allowed, 'common', 'database'].join('|')})/|^src/(config|settings)\\.ts$`,
      },
    })),
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
      to: { path: '^(test|bench)/|\\.spec\\.tsx?$' },
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
