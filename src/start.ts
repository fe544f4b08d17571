import { Logger } from '@nestjs/common';
import { createApp, serve } from './app.js';
import { Config, ConfigError, readConfig, settingsHelp } from './platform/config/config.js';
import { serviceVersion } from './platform/config/version.js';
import { Log } from './ops/log.js';

function configOrExit(): Config {
  try {
    return readConfig(process.env);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    process.stderr.write(
      `The configuration is wrong:\n${error.faults.map((f) => `  ${f}\n`).join('')}`,
    );
    process.exit(1);
  }
}

// The service must outlive the readers of its output: Node.js itself writes warnings to stderr.
for (const output of [process.stdout, process.stderr]) output.on('error', () => undefined);

if (process.argv.includes('--help')) {
  process.stdout.write(settingsHelp());
  process.exit(0);
}
const config = configOrExit();
try {
  const log = new Log(config);
  process.on('exit', () => log.flush());
  const app = await createApp(config, undefined, log);
  const { port } = await serve(app, config, (code) => log.end(code));
  new Logger('main').log(
    `Version ${serviceVersion} on Node.js ${process.versions.node}. ` +
      `Listening on ${config.host}:${port}, as ${config.publicUrl}.`,
  );
} catch (error) {
  process.stderr.write(`The service cannot start: ${String(error)}\n`);
  process.exit(1);
}
