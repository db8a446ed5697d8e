import Synchronization

/// Keeps a store's lock file open while no save uses it, because opening the file takes longer than
/// locking it.
///
/// When several threads save at the same time, each opens its own descriptor, because a lock only
/// excludes other descriptors.
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
