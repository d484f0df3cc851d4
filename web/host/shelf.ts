// One store of the browser's database (IndexedDB). Each is in a database of its own: a new store then waits for no tab that
// holds an older version open.

export interface Shelf {
  open(): Promise<IDBDatabase>;
  /** Makes requests in one transaction; when all are done it resolves with the result of the one given back, if any. */
  ask<T>(mode: IDBTransactionMode, make: (store: IDBObjectStore) => IDBRequest<T> | undefined): Promise<T>;
}

/** `index`: a property by which records are found, too. Opened at the first use. */
export function shelf(database: string, store: string, keyPath: string | string[], index?: string): Shelf {
  let opening: Promise<IDBDatabase> | null = null;
  const open = (): Promise<IDBDatabase> => (opening ??= new Promise((resolve, reject) => {
    const request = indexedDB.open(database, 1);
    request.onupgradeneeded = () => {
      const made = request.result.createObjectStore(store, { keyPath });
      if (index) made.createIndex(index, index);
    };
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error ?? new Error('the database did not open'));
    request.onblocked = () => reject(new Error('another tab holds an older version of the database'));
  }));
  return {
    open,
    async ask<T>(mode: IDBTransactionMode, make: (store: IDBObjectStore) => IDBRequest<T> | undefined): Promise<T> {
      const opened = await open();
      return new Promise((resolve, reject) => {
        const transaction = opened.transaction(store, mode, { durability: 'relaxed' });
        const request = make(transaction.objectStore(store));
        // What is written as the page goes away is lost when nobody is left to end the transaction.
        if (mode === 'readwrite') transaction.commit();
        transaction.oncomplete = () => resolve(request?.result as T);
        transaction.onabort = () => reject(transaction.error ?? request?.error ?? new Error('the database gave up'));
      });
    },
  };
}
