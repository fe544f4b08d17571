import { variables } from '../../src/config/config.js';
import type { Variable } from '../../src/config/setting.js';

/** The README's table of every variable, in Markdown. */
export function configurationTable(): string {
  return [
    '| Variable | Default | Meaning |',
    '| --- | --- | --- |',
    ...variables.map((variable) => `| ${cellsOf(variable).join(' | ')} |`),
  ].join('\n');
}

function cellsOf(variable: Variable): string[] {
  const { name, allowed, meaning, secret, demoOnly } = variable;
  return [
    `\`${name}\``,
    variable.default && `\`${variable.default}\``,
    [
      `${meaning} Allowed: ${allowed}.`,
      secret && `Secret: also as a file, in \`${name}_FILE\`.`,
      demoOnly && 'Must be set in production.',
    ]
      .filter(Boolean)
      .join(' '),
  ];
}
