import js from '@eslint/js';
import prettier from 'eslint-config-prettier';
import tseslint from 'typescript-eslint';

export default tseslint.config(
  {
    ignores: [
      'dist/',
      'node_modules/',
      'coverage/',
      '**/*.config.js',
      'scripts/',
      'examples/', // type-checked and run by test/documentation/examples.e2e-spec.ts
      'packages/', // type-checked by scripts/packages.mjs
      '.config/',
    ],
  },
  js.configs.recommended,
  ...tseslint.configs.recommendedTypeChecked,
  prettier,
  {
    languageOptions: {
      parserOptions: {
        project: ['./tsconfig.json', './src/**/browser/tsconfig.json'],
        tsconfigRootDir: import.meta.dirname,
      },
    },
    rules: {
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/consistent-type-imports': 'off',
      // A switch over a union names every member: a `default` would swallow the next one.
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: false, requireDefaultForNonUnion: false },
      ],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_' }],
      'no-console': 'error',
      'max-lines': ['error', { max: 400, skipBlankLines: true, skipComments: true }],
    },
  },
  {
    // All access to the database goes through platform/database/transactions.ts: on SQLite any other can
    // lose acknowledged writes, because TypeORM shares one connection between all requests. Loops over
    // rows go through platform/kernel/turns.ts, whose turns the tests count.
    files: ['src/**/*.{ts,tsx}', 'bench/**/*.ts', 'demo/**/*.ts'],
    ignores: ['src/platform/database/**', 'src/data-source.ts', 'src/platform/kernel/turns.ts'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          paths: [
            {
              name: 'typeorm',
              importNames: [
                'DataSource',
                'Repository',
                'QueryRunner',
                'BaseEntity',
                'EntityManager',
              ],
              message:
                'Go through platform/database/transactions.ts; its Tx type is the entity manager.',
            },
            { name: 'better-sqlite3', message: 'Go through platform/database/transactions.ts.' },
            { name: 'pg', message: 'Go through platform/database/transactions.ts.' },
            {
              name: 'node:timers/promises',
              importNames: ['setImmediate'],
              message: 'Go through platform/kernel/turns.ts.',
            },
          ],
        },
      ],
    },
  },
  {
    files: ['src/**/*.{ts,tsx}'],
    ignores: ['src/platform/config/config.ts', 'src/start.ts', 'src/cli/**', '**/*.spec.ts'],
    rules: {
      'no-restricted-properties': [
        'error',
        {
          object: 'process',
          property: 'env',
          message: 'Only src/platform/config/config.ts reads the environment.',
        },
      ],
    },
  },
  {
    files: ['src/cli/**', 'bench/**', 'demo/**'],
    rules: { 'no-console': 'off' },
  },
);
