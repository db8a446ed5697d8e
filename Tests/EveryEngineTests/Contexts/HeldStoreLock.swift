import Cairn
import Dispatch
import Foundation

/// The lock that savers of a store wait for, held as another process would hold it.
final class HeldStoreLock: Sendable {
    private let mayEnd = DispatchSemaphore(value: 0)
    private let hasEnded = DispatchSemaphore(value: 0)

    /// - Throws: what the engine throws where the lock cannot be had.
    convenience init(of store: any PersistentStore) throws {
        guard let url = store.url, type(of: store).type != .inMemory else {
            self.init(inMemory: store)
            return
        }
        // LMDB's savers lock the data file, the others a file beside it.
        try self.init(at: type(of: store).type == "LMDB" ? url.path : url.path + "-lock")
    }

    /// Holds the lock of a file, which is made if there is none.
    ///
    /// - Throws: `POSIXError` if somebody else holds it.
    init(at path: String) throws {
        let descriptor = open(path, O_RDWR | O_CREAT, 0o600)
        guard descriptor >= 0, flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            throw POSIXError(.EBUSY)
        }
        run { close(descriptor) }
    }

    /// A store in memory has no other process: a save is begun, and not ended.
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

    /// Lets go of the lock. To be called once.
    func give() {
        mayEnd.signal()
        hasEnded.wait()
    }
}
