/** A writer in a process of its own: options as JSON in the first argument, versions as JSON on standard output. */
import { runWriter } from './writer.ts';

process.stdout.write(JSON.stringify(await runWriter(JSON.parse(process.argv[2]!))));
