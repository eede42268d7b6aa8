/** Runs in workerd: `?case=<name>&fixtures=<url>`, for `workerd.test.ts`. */
import * as delta from 'delta-kernel-web';
import { type RuntimeContext, suite } from './suite.ts';

// The built package's types are a second copy of the sources' types.
const asSource = delta as unknown as RuntimeContext['delta'];

export default {
  async fetch(request: Request): Promise<Response> {
    const { searchParams } = new URL(request.url);
    const found = suite.find((candidate) => candidate.name === searchParams.get('case'));
    if (found === undefined) return new Response('no such case', { status: 404 });
    try {
      await found.run({ delta: asSource, fixtures: searchParams.get('fixtures') ?? '' });
      return new Response('ok');
    } catch (error) {
      return new Response(error instanceof Error ? `${error.stack ?? error.message}` : String(error), {
        status: 500,
      });
    }
  },
};
