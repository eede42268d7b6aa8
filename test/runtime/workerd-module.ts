/** Runs in workerd: `?case=<name>&fixtures=<url>`, for `workerd.test.ts`. */
import * as delta from 'delta-kernel-web';
import { R2StorageHandler } from 'delta-kernel-web/r2';
import { type RuntimeContext, suite } from './suite.ts';

// The built package's types are a second copy of the sources' types.
const asSource = delta as unknown as RuntimeContext['delta'];

interface Environment {
  readonly BUCKET: ConstructorParameters<typeof R2StorageHandler>[0];
}

export default {
  async fetch(request: Request, { BUCKET }: Environment): Promise<Response> {
    const { searchParams } = new URL(request.url);
    const found = suite.find((candidate) => candidate.name === searchParams.get('case'));
    if (found === undefined) return new Response('no such case', { status: 404 });
    try {
      const newPlace: RuntimeContext['newPlace'] = async (table) => {
        return { storage: new R2StorageHandler(BUCKET), url: `r2://bucket/${table}/` };
      };
      await found.run({ delta: asSource, fixtures: searchParams.get('fixtures') ?? '', newPlace });
      return new Response('ok');
    } catch (error) {
      return new Response(error instanceof Error ? `${error.stack ?? error.message}` : String(error), {
        status: 500,
      });
    }
  },
};
