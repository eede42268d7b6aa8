/** All that a page keeps, as text: to look for secrets in it. */
import type { Page } from 'playwright';

export function stored(page: Page): Promise<string> {
  return page.evaluate(async () => {
    const databases = await indexedDB.databases();
    const contents = await Promise.all(databases.map(({ name }) => contentOf(name ?? '')));
    const cached = (await Promise.all((await caches.keys()).map(cachedIn))).flat();
    const storages = [{ ...localStorage }, { ...sessionStorage }];
    return JSON.stringify([...storages, document.cookie, history.state, location.href, contents, cached]);

    async function cachedIn(name: string): Promise<string[]> {
      return (await (await caches.open(name)).keys()).map(({ url }) => url);
    }
    async function contentOf(name: string): Promise<unknown[]> {
      const database = await resultOf(indexedDB.open(name));
      const stores = [...database.objectStoreNames];
      const all = stores.map((store) => resultOf(database.transaction(store).objectStore(store).getAll()));
      return Promise.all(all).finally(() => database.close());
    }
    function resultOf<T>(request: IDBRequest<T>): Promise<T> {
      return new Promise((resolve, reject) => {
        request.onsuccess = () => resolve(request.result);
        request.onerror = () => reject(request.error);
      });
    }
  });
}
