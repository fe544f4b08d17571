import { readConfig } from './src/platform/config/config.js';
import { createDataSource } from './src/data-source.js';

/** For TypeORM's own command line: `npx typeorm -d dist/ormconfig.js migration:show`. */
export default createDataSource(readConfig(process.env), 'endless');
