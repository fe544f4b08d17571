import fc from 'fast-check';

/** Every run uses the same random cases. The environment variable `SEED` selects others. */
fc.configureGlobal({ seed: Number(process.env.SEED ?? 4711) });
