import { variables } from './config.js';
import type { Setting } from './setting.js';

/** The meaning of a setting and its allowed values. */
export function explainSetting(setting: Setting<unknown>): string {
  const { name, meaning, allowed, secret, demoOnly } = setting;
  return [
    meaning,
    `Allowed: ${allowed}.`,
    ...(secret ? [`Secret: can also be a file, named in \`${name}_FILE\`.`] : []),
    ...(demoOnly ? ['Must be set in production.'] : []),
  ].join(' ');
}

/** The default as Markdown; empty where there is none. */
export function defaultOf({ default: usual, defaultInProduction }: Setting<unknown>): string {
  if (usual === '') return '';
  return defaultInProduction
    ? `\`${usual}\`; \`${defaultInProduction}\` in production`
    : `\`${usual}\``;
}

/** Every setting, for a terminal. */
export function settingsHelp(): string {
  const entries = variables.map((setting) => {
    const usual = defaultOf(setting).replaceAll('`', '');
    return `${setting.name}${usual && ` (default: ${usual})`}\n    ${explainSetting(setting)}\n`;
  });
  return `The settings, from the environment:\n\n${entries.join('\n')}`;
}
