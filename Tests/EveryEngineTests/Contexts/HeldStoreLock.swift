import Cairn
import Dispatch
import Foundation

/// The lock for which the savers of a store wait, held as another process would hold it.
final class HeldStoreLock: Sendable {
    private let mayEnd = DispatchSemaphore(value: 0)
    private let hasEnded = DispatchSemaphore(value: 0)

    /// Takes the lock of a store.
    ///
    /// - Throws: The engine's error if the lock is not available.
    convenience init(of store: any PersistentStore) throws {
        guard let url = store.url, type(of: store).type != .inMemory else {
            self.init(inMemory: store)
            return
        }
        // LMDB's savers lock the data file. Other engines lock a file next to it.
        try self.init(at: type(of: store).type == "LMDB" ? url.path : url.path + "-lock")
    }

    /// Takes the lock of a file, which is created if it does not exist.
    ///
    /// - Throws: `POSIXError` if the lock is already held.
    init(at path: String) throws {
        let descriptor = open(path, O_RDWR | O_CREAT, 0o600)
        guard descriptor >= 0, flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            throw POSIXError(.EBUSY)
        }
        run { close(descriptor) }
    }

    /// No other process can use an in-memory store, so this begins a save and keeps it open.
    private init(inMemory store: any PersistentStore) {
        let hasBegun = DispatchSemaphore(value: 0)
        Thread.detachNewThread { [self] in
            let save = try? store.beginSave()
            hasBegun.signal()
            mayEnd.wait()
            save?.rollback()
            hasEnded.signal()
        }
        hasBegun.wait()
    }

    private func run(atEnd body: @escaping @Sendable () -> Void) {
        Thread.detachNewThread { [self] in
            mayEnd.wait()
            body()
            hasEnded.signal()
        }
    }

    /// Releases the lock. Call this function only once.
    func release() {
        mayEnd.signal()
        hasEnded.wait()
    }
}
