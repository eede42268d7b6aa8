/** What tests use of `shell.mjs`. */

/** Where compiled cores, servers and environments are kept between runs. */
export const cacheDir: string;
