import { useEffect, useState } from 'preact/hooks';
import { keepOffline } from '../offline.ts';

/** Tells that a newer version of the page is ready; nothing changes until the person wants it. */
export function UpdateNotice() {
  const [apply, setApply] = useState<() => void>();
  useEffect(() => {
    void keepOffline((update) => setApply(() => update.apply));
  }, []);
  if (apply === undefined) return null;
  return (
    <div class="update" role="status">
      A newer version of this page is ready.
      <button type="button" onClick={apply}>
        Reload
      </button>
      <button type="button" class="quiet" onClick={() => setApply(undefined)}>
        Later
      </button>
    </div>
  );
}
