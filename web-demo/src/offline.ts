/** The page's side of its service worker: the page and the samples that were open work without a network. */

interface Update {
  /** Loads the page anew, in its newer version. */
  apply: () => void;
}

/** @param onUpdate called when a newer version of the page is ready. */
export async function keepOffline(onUpdate: (update: Update) => void): Promise<void> {
  if (!canKeep()) return;
  try {
    const registration = await navigator.serviceWorker.register('./service-worker.js');
    watch(registration, onUpdate);
  } catch {
    // a browser that refuses, or a host without the script: the page works as before, with a network
  }
}

/** Keeps a sample that was opened, and what the other tabs load, unless the person saves data. */
export async function keepSample(name: string): Promise<void> {
  if (!canKeep()) return;
  const { connection } = navigator as { connection?: { saveData?: boolean } };
  if (connection?.saveData) return;
  const { active } = await navigator.serviceWorker.ready;
  active?.postMessage({ type: 'complete' });
  active?.postMessage({ type: 'sample', name });
}

/** Not for pages of the file system. */
function canKeep(): boolean {
  return 'serviceWorker' in navigator && /^https?:$/.test(globalThis.location.protocol);
}

function watch(registration: ServiceWorkerRegistration | undefined, onUpdate: (update: Update) => void) {
  if (registration === undefined) return;
  const tell = (waiting: ServiceWorker) => onUpdate({ apply: () => takeOver(waiting) });
  const follow = () => {
    const { installing } = registration;
    installing?.addEventListener('statechange', () => {
      // Without a controller it is the first version, which nobody waits for.
      if (installing.state === 'installed' && navigator.serviceWorker.controller !== null) tell(installing);
    });
  };
  if (registration.waiting !== null) tell(registration.waiting);
  follow();
  registration.addEventListener('updatefound', follow);
}

function takeOver(waiting: ServiceWorker): void {
  navigator.serviceWorker.addEventListener('controllerchange', () => globalThis.location.reload(), {
    once: true,
  });
  waiting.postMessage({ type: 'update' });
}
