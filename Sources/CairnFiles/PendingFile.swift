import Foundation
import Synchronization

#if os(Linux)
import CairnCLinux
#endif

/// A durable temporary file or folder that is meant to replace another one. If it has not replaced
/// the other one, it is removed when the object is released.
package final class PendingFile: Sendable {
    private let held: HeldFile
    private let target: DurableFile
    /// The path of the file to remove with this object, or `nil` if there is no such file.
    private let temporary: Mutex<String?>

    init(_ held: HeldFile, replacing target: DurableFile) {
        self.held = held
        self.target = target
        temporary = Mutex(held.path)
    }

    deinit { remove() }

    /// Removes the temporary file. Has no effect if it has already replaced the other one.
    package func remove() {
        let path = temporary.withLock { path in path.take() }
        if let path { try? FileManager.default.removeItem(atPath: path) }
    }

    /// Takes a shared lock on the file before others can see it. See ``HeldFile/lock(isShared:)``.
    package func share() { _ = held.lock(isShared: true) }

    /// Replaces the target with the file regardless of the target's content, or creates the target.
    ///
    /// The new content is visible immediately, and durable after
    /// ``DurableFile/synchronizeFolder()``.
    ///
    /// - Returns: the new file, kept open.
    /// - Throws: a failure if the file cannot be renamed. Nothing has changed then.
    @discardableResult
    package func replace() throws(FileFailure) -> HeldFile {
        guard rename(held.path, target.path) == 0 else { throw target.failure("rename to") }
        temporary.withLock { $0 = nil }
        return held
    }

    /// Gives the file the target's name, unless the target exists.
    ///
    /// - Returns: the new file, kept open, or `nil` if the target exists.
    /// - Throws: a failure if the file cannot be given the name. Nothing has changed then.
    package func create() throws(FileFailure) -> HeldFile? {
        guard try PosixFile.publish(held.path, as: target.path) else { return nil }
        temporary.withLock { $0 = nil }
        return held
    }
}

// MARK: Replacing a known content

extension PendingFile {
    /// The result of ``replace(_:swap:)``.
    package enum Replacement: Sendable {
        /// The new file has replaced the target, and is kept open.
        case done(HeldFile)
        /// Another program had replaced the target, had given it another name (a hard link), or
        /// removed the new file immediately. No file of the other program has been changed.
        case anotherFile
        /// The exchange was begun but could not be completed. ``DurableFile/settleLeftovers()``
        /// completes it.
        case unknown(FileFailure)
    }

    /// Replaces the target with the file, if the target has the content that the caller expects.
    ///
    /// If another program has replaced the target in the meantime, its file is restored: see
    /// ``FileExchange``. On a file system that cannot exchange names, the target is checked right
    /// before it is replaced, and folders cannot be replaced.
    ///
    /// - Parameter expected: the stamp of the content that is to be replaced.
    /// - Throws: a failure if the target cannot be replaced. Nothing has changed then. The code is
    ///   `ENOENT` if the target does not exist.
    package func replace(_ expected: FileStamp) throws(FileFailure) -> Replacement {
        try replace(expected, swap: PosixFile.exchange)
    }

    func replace(
        _ expected: FileStamp, swap: FileExchange.Swap
    ) throws(FileFailure) -> Replacement {
        let exchange = FileExchange(of: try held.stamp(), for: expected, at: target)
        guard rename(held.path, exchange.path) == 0 else {
            throw target.failure("rename next to")
        }
        temporary.withLock { $0 = nil }
        let isSwapped = Result { () throws(FileFailure) in try swap(exchange.path, target.path) }
        guard case .success(true) = isSwapped else {
            temporary.withLock { $0 = exchange.path }
            _ = try isSwapped.get()
            return try replaceAfterLook(expected, exchange.path)
        }
        do {
            return try exchange.settle(swap, restoresLinked: true) ? .done(held) : .anotherFile
        } catch {
            return .unknown(error)
        }
    }

    /// Replaces the target without exchanging names. Another program can still replace the target
    /// in the instant between the check and the renaming.
    private func replaceAfterLook(
        _ expected: FileStamp, _ path: String
    ) throws(FileFailure) -> Replacement {
        if held.isFolder {
            throw FileFailure(operation: "exchange with", path: target.path, code: EINVAL)
        }
        var status = stat()
        guard try FileStamp(named: target.path).hasContent(of: expected),
            lstat(target.path, &status) == 0, status.st_nlink == 1
        else { return .anotherFile }
        guard rename(path, target.path) == 0 else { throw target.failure("rename to") }
        temporary.withLock { $0 = nil }
        return .done(held)
    }
}
