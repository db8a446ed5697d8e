import Synchronization

/// A store's lock file while no save has it: opening it again takes longer than locking it.
///
/// Saves at the same time, of other threads, open a file each: a lock excludes other descriptors.
final class IdleLockFile: Sendable {
    private let file = Mutex<WriterLockFile?>(nil)

    func take() -> WriterLockFile? {
        file.withLock { file in
            defer { file = nil }
            return file
        }
    }

    func keep(_ unlocked: WriterLockFile) { file.withLock { $0 = unlocked } }
}
